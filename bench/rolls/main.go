// Sends requests as Metacontroller does, through a balancer that treats connections as a Service does.
//
// Commands on standard input: "add ADDRESS" and "remove ADDRESS" change the endpoints, and "stop" ends the run. The last
// line on standard output is the result, as JSON.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Result counts requests, and failures by their cause.
type Result struct {
	Requests int            `json:"requests"`
	Failed   int            `json:"failed"`
	Errors   map[string]int `json:"errors"`
	P99      float64        `json:"p99_ms"`
	Dials    int            `json:"connections"`
}

// Balancer forwards each new connection to a random endpoint. A connection stays when its endpoint is removed.
type Balancer struct {
	sync.Mutex
	endpoints []string
	dials     int
}

func (b *Balancer) add(endpoint string) {
	b.Lock()
	defer b.Unlock()
	b.endpoints = append(b.endpoints, endpoint)
}

func (b *Balancer) remove(endpoint string) {
	b.Lock()
	defer b.Unlock()
	b.endpoints = slices.DeleteFunc(b.endpoints, func(each string) bool { return each == endpoint })
}

func (b *Balancer) pick() string {
	b.Lock()
	defer b.Unlock()
	b.dials++
	return b.endpoints[rand.Intn(len(b.endpoints))]
}

func (b *Balancer) serve(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go b.forward(client.(*net.TCPConn))
	}
}

func (b *Balancer) forward(client *net.TCPConn) {
	server, err := net.Dial("tcp", b.pick())
	if err != nil {
		reset(client)
		return
	}
	defer client.Close()
	defer server.Close()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		pipe(client, server.(*net.TCPConn))
	}()
	pipe(server.(*net.TCPConn), client)
	<-sent
}

// pipe copies until the end of source, and passes on how source ended: an end of file or a reset.
func pipe(source, target *net.TCPConn) {
	if _, err := io.Copy(target, source); err != nil {
		reset(target)
		reset(source)
		return
	}
	target.CloseWrite()
}

func reset(connection *net.TCPConn) {
	connection.SetLinger(0)
	connection.Close()
}

// Client sends the same request again and again.
type Client struct {
	http  *http.Client
	url   string
	body  []byte
	token string
}

// transport is that of Metacontroller: Go's default one, cloned if the hook has TLS.
func transport(ca, certificate, key string) http.RoundTripper {
	if ca == "" {
		return http.DefaultTransport
	}
	clone := http.DefaultTransport.(*http.Transport).Clone()
	clone.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	clone.TLSClientConfig.RootCAs.AppendCertsFromPEM(read(ca))
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		check(err)
		clone.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	return clone
}

// call returns the cause of a failure, or nothing.
func (c *Client) call() string {
	request, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(c.body))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return cause(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); err != nil {
		return "body: " + cause(err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Sprint("status ", response.StatusCode)
	}
	return ""
}

func cause(err error) string {
	var network net.Error
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "EOF"
	case errors.As(err, &network) && network.Timeout():
		return "timeout"
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}

// work sends requests until done is closed, and returns what came of them.
func work(client *Client, workers int, pause time.Duration, done <-chan struct{}) Result {
	var mutex sync.Mutex
	var group sync.WaitGroup
	result, times := Result{Errors: map[string]int{}}, []float64{}
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				select {
				case <-done:
					return
				case <-time.After(pause):
				}
				start := time.Now()
				failure := client.call()
				mutex.Lock()
				result.Requests++
				times = append(times, time.Since(start).Seconds()*1000)
				if failure != "" {
					result.Failed++
					result.Errors[failure]++
				}
				mutex.Unlock()
			}
		}()
	}
	group.Wait()
	slices.Sort(times)
	if len(times) > 0 {
		result.P99 = times[len(times)*99/100]
	}
	return result
}

func obey(balancer *Balancer, stop func()) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		command, endpoint, _ := strings.Cut(lines.Text(), " ")
		switch command {
		case "add":
			balancer.add(endpoint)
		case "remove":
			balancer.remove(endpoint)
		case "stop":
			stop()
			return
		}
	}
	os.Exit(1) // the driver is gone
}

func read(file string) []byte {
	content, err := os.ReadFile(file)
	check(err)
	return content
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	workers := flag.Int("workers", 2, "requests at the same time")
	pause := flag.Duration("pause", 4*time.Millisecond, "time between two requests of a worker")
	body := flag.String("body", "", "file with the request")
	ca := flag.String("ca", "", "file with the CA of the hook; its certificate names 127.0.0.1")
	certificate := flag.String("cert", "", "file with the client certificate")
	key := flag.String("key", "", "file with its key")
	token := flag.String("token", "", "bearer token")
	first := flag.String("endpoints", "", "endpoints at the start, separated by commas")
	flag.Parse()

	balancer := &Balancer{endpoints: strings.Split(*first, ",")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go balancer.serve(listener)

	scheme := "http"
	if *ca != "" {
		scheme = "https"
	}
	url := fmt.Sprintf("%s://%s/sync", scheme, listener.Addr())
	roundTripper := transport(*ca, *certificate, *key)
	client := &Client{&http.Client{Timeout: 10 * time.Second, Transport: roundTripper}, url, read(*body), *token}

	done := make(chan struct{})
	go obey(balancer, func() { close(done) })
	result := work(client, *workers, *pause, done)
	result.Dials = balancer.dials
	check(json.NewEncoder(os.Stdout).Encode(result))
}
