// Judges objects with the kstatus that Flux uses, and with a script in the Lua runtime that Argo CD uses.
//
// Standard input is JSON: "script", and "objects". Standard output is a JSON list with the judgement on each object.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Judgement is the status of kstatus, and the two fields of the table that the script returns.
type Judgement struct {
	Kstatus string `json:"kstatus"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	var input struct {
		Script  string                       `json:"script"`
		Objects []*unstructured.Unstructured `json:"objects"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		log.Fatal(err)
	}
	judgements := make([]Judgement, 0, len(input.Objects))
	for _, object := range input.Objects {
		judgements = append(judgements, judge(input.Script, object))
	}
	if err := json.NewEncoder(os.Stdout).Encode(judgements); err != nil {
		log.Fatal(err)
	}
}

func judge(script string, object *unstructured.Unstructured) Judgement {
	result, err := status.Compute(object)
	if err != nil {
		log.Fatal(err)
	}
	health := run(script, object.Object)
	return Judgement{
		Kstatus: string(result.Status),
		Status:  lua.LVAsString(health.RawGetString("status")),
		Message: lua.LVAsString(health.RawGetString("message")),
	}
}

// run opens only the libraries that Argo CD opens for a health check.
func run(script string, object map[string]any) *lua.LTable {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", value(state, object))
	if err := state.DoString(script); err != nil {
		log.Fatal(err)
	}
	return state.CheckTable(-1)
}

func value(state *lua.LState, from any) lua.LValue {
	switch typed := from.(type) {
	case bool:
		return lua.LBool(typed)
	case float64:
		return lua.LNumber(typed)
	case int64:
		return lua.LNumber(typed)
	case string:
		return lua.LString(typed)
	case []any:
		table := state.NewTable()
		for _, item := range typed {
			table.Append(value(state, item))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for name, item := range typed {
			table.RawSetString(name, value(state, item))
		}
		return table
	}
	return lua.LNil
}
