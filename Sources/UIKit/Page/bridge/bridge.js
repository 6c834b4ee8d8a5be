/**
 * The editor's side of a web view. The process puts this script first into every page that it serves
 * to an editor's frame, whose origin is opaque: it can reach neither the page around it nor the
 * process, only the one channel made here.
 *
 * What crosses the channel, always JSON values:
 *   frame to page  {say: "post", handler, body, id} · {say: "answer", call, value | error}
 *                  {say: "key", key} · {say: "loaded"} · {say: "settled"}
 *   page to frame  {do: "evaluate" | "callAsync", call, …} · {do: "reply", id, value | error}
 *                  {do: "focus"} · {do: "settle"}
 */
(() => {
  'use strict';

  const channel = new MessageChannel();
  const port = channel.port1;
  /** @type {Map<number, {resolve: (value: any) => void, reject: (reason: Error) => void}>} */
  const awaited = new Map();
  let lastId = 0;

  /** What JSON makes of a value; what it cannot carry becomes null, as in a web view. */
  const asJSON = (value) => {
    const text = JSON.stringify(value);
    return text === undefined ? null : JSON.parse(text);
  };

  // MARK: Messages to the process

  const post = (handler, body) => {
    const answer = new Promise((resolve, reject) => {
      const id = ++lastId;
      awaited.set(id, { resolve, reject });
      port.postMessage({ say: 'post', handler, body: asJSON(body), id });
    });
    // Most editors do not look at the answer; what was lost with the process, the page itself says.
    answer.catch(() => {});
    return answer;
  };

  const messageHandlers = new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name !== 'string') return undefined;
      return Object.freeze({ postMessage: (body) => post(name, body) });
    },
  });
  const webkit = Object.freeze({ messageHandlers });
  Object.defineProperty(window, 'webkit', { value: webkit, enumerable: true });

  // MARK: Calls from the process

  const AsyncFunction = (async () => {}).constructor;

  /** Runs a call and gives its value, once that is there. */
  const run = async (message) => {
    if (message.do === 'evaluate') return (0, eval)(message.script);
    const names = Object.keys(message.arguments ?? {});
    const body = new AsyncFunction(...names, message.body);
    return body(...names.map((name) => message.arguments[name]));
  };

  const settle = ({ id, value, error }) => {
    const waiting = awaited.get(id);
    awaited.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  };

  port.onmessage = async ({ data }) => {
    if (data.do === 'reply') return settle(data);
    if (data.do === 'focus') return window.focus();
    // By now whatever was entered before has been posted.
    if (data.do === 'settle') return port.postMessage({ say: 'settled' });
    try {
      const value = asJSON(await run(data));
      port.postMessage({ say: 'answer', call: data.call, value });
    } catch (error) {
      console.error(error);
      port.postMessage({ say: 'answer', call: data.call, error: String(error?.message ?? error) });
    }
  };

  // MARK: Keys that belong to the document

  /** The name under which a key press is the document's, or null. */
  const documentKey = (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === 'Escape') return 'escape';
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
    if (key === 'z') return event.shiftKey ? 'redo' : 'undo';
    if (key === 'y' && !event.shiftKey) return 'redo';
    if (key === 's' && !event.shiftKey) return 'save';
    return null;
  };

  // The document's undo is the only one: a text field's own would disagree with it after the next
  // change from elsewhere. An editor that wants a key for itself prevents its default.
  addEventListener('keydown', (event) => {
    const key = documentKey(event);
    if (key === null || event.defaultPrevented || event.isComposing) return;
    if (key !== 'escape') event.preventDefault();
    port.postMessage({ say: 'key', key });
  });
  addEventListener('beforeinput', (event) => {
    if (event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') return;
    event.preventDefault();
    port.postMessage({ say: 'key', key: event.inputType === 'historyUndo' ? 'undo' : 'redo' });
  });

  // A file dropped beside the editor's own drop area must not replace the editor by the file.
  for (const name of ['dragover', 'drop']) {
    addEventListener(name, (event) => event.preventDefault());
  }

  addEventListener('load', () => port.postMessage({ say: 'loaded' }));
  // Only the page that this very server gave out may have the other end.
  window.parent.postMessage({ sheaf: 'bridge' }, location.origin, [channel.port2]);
})();
