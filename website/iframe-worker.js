// The search of the site runs in a Worker, which browsers do not start from files. There, this runs it in a frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      this.inner = this.frame.contentWindow
      this.inner.postMessage = data => this.onmessage?.(new MessageEvent("message", {data}))
      const script = this.inner.document.createElement("script")
      this.loaded = new Promise(done => { script.onload = done })
      script.src = new URL(url, location.href).href
      this.inner.document.head.append(script)
    }

    async postMessage(data) {
      await this.loaded  // Why here: the script has no listener before
      this.inner.dispatchEvent(new MessageEvent("message", {data}))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
