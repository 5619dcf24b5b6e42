// One websocket that stays: it reconnects with growing pauses and says when it is open again.

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

export class Socket {
  #url;
  #onFrame;
  #onOpen;
  #onClose;
  #socket = null;
  #pause = FIRST_PAUSE;

  constructor(path, { onFrame, onOpen, onClose }) {
    this.#url = new URL(path, location.href);
    this.#url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.#onFrame = onFrame;
    this.#onOpen = onOpen;
    this.#onClose = onClose;
    this.#connect();
  }

  // Send a frame; false when there is no connection, so that the caller can take another way.
  send(frame) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #connect() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#pause = FIRST_PAUSE;
      this.#onOpen();
    });
    socket.addEventListener("message", (event) => this.#onFrame(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      this.#onClose();
      // A random share keeps many tabs from knocking at the same moment after a restart.
      setTimeout(() => this.#connect(), this.#pause * (0.75 + Math.random() / 2));
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    });
  }
}
