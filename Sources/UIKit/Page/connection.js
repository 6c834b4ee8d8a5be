const patienceMilliseconds = 2000;
/** The process takes no longer message. */
const byteCountMax = 64 * 2 ** 20;
const isTooLong = (text) => text.length > byteCountMax / 3 && new Blob([text]).size > byteCountMax;

/**
 * The one line to the process.
 *
 * Whatever wants an answer (acts, and what editors post) has an id that grows, and is kept until it is
 * answered. When a line is new, everything unanswered is sent again in order; the process answers what
 * it has carried out already without doing it twice. So what was typed while cut off is not lost.
 *
 * Another program may have taken the port of a process that has ended. So the first message of a line has to be the proof that
 * this page's process is there, which wants a key that came with the page; before that nothing is taken in, and nothing is said.
 *
 * A process that stands still leaves the line open. While an answer is awaited and nothing is heard, it is
 * asked for a sign; the line counts as off when none comes, until something is heard again.
 */
export class Connection {
  #store;
  #handle;
  #tab;
  #proofKey;
  #isConnecting = false;
  /** @type {WebSocket | null} */
  #socket = null;
  #isGreeted = false;
  #attempts = 0;
  #retry = 0;
  #silence = 0;
  /** @type {Map<number, {message: any, resolve: (value: any) => void, reject: (error: any) => void}>} */
  #unanswered = new Map();
  /** What wants no answer and found no line. */
  #waiting = [];
  // Grows across reloads of the tab, too.
  #lastId = Date.now() * 8;

  /**
   * @param {import('./store.js').Store} store
   * @param {string} tab  32 hexadecimal digits
   * @param {string} proofKey  what only this page and its process know
   * @param {(message: any) => void} handle  takes the messages that are not about the scene
   */
  constructor(store, tab, proofKey, handle) {
    this.#store = store;
    this.#tab = tab;
    this.#proofKey = proofKey;
    this.#handle = handle;
    addEventListener('online', () => this.#connectNow());
    document.addEventListener('visibilitychange', () => {
      this.#sendVisible();
      if (!document.hidden) this.#connectNow();
    });
  }

  /** Whether the process has greeted this line. */
  get isLive() { return this.#isGreeted; }

  /** Whether the line was there and is gone: whoever answers now may be another program. */
  get isCutOff() { return this.#attempts > 0; }

  async connect() {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    const challenge = crypto.randomUUID().replaceAll('-', '');
    const proof = await proofOf(challenge, this.#proofKey);
    this.#isConnecting = false;
    const address = new URL(`/live?tab=${this.#tab}&challenge=${challenge}`, location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.#isGreeted = false;
    socket.onmessage = ({ data }) => {
      if (data !== proof) return this.#hangUp(socket);
      socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    };
    socket.onclose = () => this.#closed(socket);
  }

  /** Ends a line to somebody else. He may take his time to close it. */
  #hangUp(socket) {
    socket.onmessage = null;
    socket.close();
    this.#closed(socket);
  }

  /**
   * Sends what wants an answer.
   * @returns {Promise<any>} rejects with `{title, message}`
   */
  ask(message) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const identified = message.type === 'web' ? { ...message, reply: id } : { ...message, id };
      this.#unanswered.set(id, { message: identified, resolve, reject });
      if (this.#isGreeted) this.#transmit(identified);
      this.#listenForSign();
    });
  }

  /** Sends what wants no answer, now or when there is a line again. */
  tell(message) {
    if (this.#isGreeted) this.#transmit(message);
    else this.#waiting.push(message);
  }

  /** Settles the question of an id; true where there was one. */
  settle({ id, value, error }) {
    const asked = this.#unanswered.get(id);
    if (!asked) return false;
    this.#unanswered.delete(id);
    if (error === undefined) asked.resolve(value);
    else asked.reject(error);
    return true;
  }

  #transmit(message) {
    const text = JSON.stringify(message);
    const id = message.id ?? message.reply;
    // It would cut the line off whenever it is sent again.
    if (isTooLong(text) && this.settle({ id, error: { message: 'the message is too long' } })) return;
    this.#socket?.send(text);
  }

  #sendVisible() {
    if (this.#isGreeted) this.#transmit({ type: 'visible', visible: !document.hidden });
  }

  #listenForSign() {
    if (this.#silence !== 0 || !this.#isGreeted) return;
    this.#silence = setTimeout(() => {
      this.#transmit({ type: 'act', id: ++this.#lastId, name: 'scene.sign', arguments: {} });
      this.#silence = setTimeout(() => this.#store.set('connection', 'off'), patienceMilliseconds);
    }, patienceMilliseconds);
  }

  #heard() {
    clearTimeout(this.#silence);
    this.#silence = 0;
    if (!this.#isGreeted) return;
    this.#store.set('connection', 'live');
    if (this.#unanswered.size > 0) this.#listenForSign();
  }

  #receive(message) {
    if (message.type === 'reply') {
      this.settle(message);
    } else if (['hello', 'change', 'items'].includes(message.type)) {
      if (!this.#store.receive(message)) this.#transmit({ type: 'again' });
      if (message.type === 'hello') this.#greeted();
    } else {
      this.#handle(message);
    }
    this.#heard();
  }

  #greeted() {
    this.#attempts = 0;
    this.#store.set('connection', 'live');
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    if (document.hidden) this.#sendVisible();
    this.#handle({ type: 'line' });
    this.#dropOrphans();
    this.#waiting.splice(0).forEach((message) => this.#transmit(message));
    for (const { message } of this.#unanswered.values()) this.#transmit(message);
  }

  /** What was posted to web views that are gone has nobody to take it; that is said, not passed over. */
  #dropOrphans() {
    const webs = new Set(this.#store.webs.map((web) => web.id));
    const isOrphan = ({ message }) => message.type === 'web' && !webs.has(message.web);
    const orphans = [...this.#unanswered].filter(([, asked]) => isOrphan(asked));
    for (const [id, { reject }] of orphans) {
      this.#unanswered.delete(id);
      reject({ message: 'the web view is gone' });
    }
    if (orphans.length > 0) this.#handle({ type: 'typingLost' });
  }

  async #closed(socket) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#isGreeted = false;
    this.#heard();
    this.#attempts += 1;
    const connection = (await this.#isSignedOut()) ? 'signedOut' : 'off';
    if (this.#isGreeted) return; // by now, over another line
    this.#store.set('connection', connection);
    const delay = Math.min(5000, 150 * 2 ** this.#attempts) * (0.75 + Math.random() / 2);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#connectNow(), delay);
  }

  /** A refused WebSocket does not say why; a plain request does. */
  async #isSignedOut() {
    try {
      const answer = await fetch('/page/strings.js', { cache: 'no-store' });
      return answer.status === 401 || answer.status === 403;
    } catch {
      return false; // nobody answers at all
    }
  }

  #connectNow() {
    clearTimeout(this.#retry);
    if (this.#socket === null) this.connect();
  }
}

/** The message that shows that its sender knows a key: HMAC with SHA-256 of what was asked, and at which address. */
async function proofOf(challenge, key) {
  const bytes = Uint8Array.from(key.match(/../g), (digits) => Number.parseInt(digits, 16));
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', bytes, hash, false, ['sign']);
  const asked = new TextEncoder().encode(`${challenge} ${location.host}`);
  const code = new Uint8Array(await crypto.subtle.sign('HMAC', imported, asked));
  const proof = [...code].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return JSON.stringify({ type: 'proof', proof });
}

/** This tab's name, which a reload keeps. A doubled tab begins with its model's, which is there and keeps it. */
export async function tabName() {
  let name = sessionStorage.getItem('tab');
  if (/^[0-9a-f]{32}$/.test(name) && await hold(name)) return name;
  name = crypto.randomUUID().replaceAll('-', '');
  hold(name);
  sessionStorage.setItem('tab', name);
  return name;
}

/** Whether a name is this page's until it goes. A page that is loaded anew lets go of it in a moment. */
const hold = (name) => new Promise((resolve) => {
  const signal = AbortSignal.timeout(patienceMilliseconds);
  const held = () => new Promise(() => { resolve(true); });
  navigator.locks.request(name, { signal }, held).catch(() => resolve(false));
});
