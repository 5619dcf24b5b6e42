// One websocket that stays: it reconnects with growing pauses until the page itself is refused.

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

export class Socket {
  #url;
  #onFrame;
  #onOpen;
  #onClose;
  #onRefused;
  #socket = null;
  #pause = FIRST_PAUSE;

  constructor(path, { onFrame, onOpen, onClose, onRefused }) {
    this.#url = new URL(path, location.href);
    this.#url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.#onFrame = onFrame;
    this.#onOpen = onOpen;
    this.#onClose = onClose;
    this.#onRefused = onRefused;
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
      setTimeout(() => this.#reconnect(), this.#pause * (0.75 + Math.random() / 2));
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    });
  }

  async #reconnect() {
    if (await isRefused(location.href)) this.#onRefused();
    else this.#connect();
  }
}

// A websocket does not tell a refusal from a server that is away; the answer to the page does: it is gone (404), not for
// this person (403), or behind the sign-in (a redirect). Whatever else comes may pass.
async function isRefused(url) {
  try {
    const answer = await fetch(url, { redirect: "manual", cache: "no-store" });
    answer.body?.cancel();
    return answer.type === "opaqueredirect" || [403, 404].includes(answer.status);
  } catch {
    return false;
  }
}
