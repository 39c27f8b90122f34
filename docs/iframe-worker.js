// Search runs in a Worker.  Browsers refuse workers on pages opened from disk, so there a hidden
// iframe takes the worker's place.  Material would fetch such a script from another site.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.iframe = document.createElement("iframe");
      this.iframe.hidden = true;
      document.body.append(this.iframe);
      const inside = this.iframe.contentWindow;
      this.ready = new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = reject;
        inside.postMessage = (data) => this.receive(data);
        inside.document.head.append(script);
      });
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inside = this.iframe.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.iframe.remove();
    }
  };
}
