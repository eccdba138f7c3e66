// The one connection to the host, which is `clips` itself: opened by the first request, and closed 20 s after the last
// one unless a panel holds it.
import { api } from "./api.js";

const HOST = "org.clips.host";
const IDLE = 20_000;
const RETRY = 1_000;

/** An error of the host ("invalid", "busy", ...) or of the connection ("missing", "lost"). */
export class HostError extends Error {
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

/** The background's: a pushed message, a connection that answers, and one that ended. */
export const events = { push() {}, up() {}, down() {} };

let port = null;
let hasAnswered = false;
let holders = 0;
let timer = 0;
let lastID = 0;
const pending = new Map();

/** Returns the answer to a request. Every request is idempotent, so that it is repeated if its host was killed. */
export async function ask(type, fields = {}) {
  try {
    return await send(type, fields);
  } catch (error) {
    if (error.code !== "lost") throw error;
    return send(type, fields);
  }
}

/** Holds the connection open, connects again when it is lost, and watches the store. */
export function hold() {
  holders += 1;
  if (!port) connect();
  else if (holders === 1) watch();
}

export function release() {
  holders -= 1;
  if (holders > 0) return;
  if (port) send("unwatch").catch(() => {});
  rest();
}

function send(type, fields = {}) {
  const current = port ?? connect();
  clearTimeout(timer);
  return new Promise((resolve, reject) => {
    const id = ++lastID;
    pending.set(id, { resolve, reject });
    try {
      current.postMessage({ ...fields, id, type });
    } catch (error) {
      // The port has just closed, or the message exceeds the browser's limit.
      pending.delete(id);
      reject(new HostError({ code: port ? "tooBig" : "lost", message: error.message }));
    }
  });
}

function connect() {
  const current = api.runtime.connectNative(HOST);
  port = current;
  hasAnswered = false;
  current.onMessage.addListener(receive);
  current.onDisconnect.addListener(() => {
    const reason = current.error ?? api.runtime.lastError;
    if (port === current) disconnected(reason?.message ?? "");
  });
  send("hello", { version: 1 }).then(() => events.up(), () => {});
  if (holders > 0) watch();
  return current;
}

function watch() {
  send("watch").catch(() => {});
}

function receive(message) {
  hasAnswered = true;
  const request = pending.get(message.id);
  if (!request) {
    if (message.type) events.push(message);
    return;
  }
  pending.delete(message.id);
  if (message.error) request.reject(new HostError(message.error));
  else request.resolve(message);
  rest();
}

/** Ends an idle connection: the browser then stops the background, and the host exits. */
function rest() {
  clearTimeout(timer);
  if (holders > 0 || pending.size > 0 || !port) return;
  timer = setTimeout(() => {
    port?.disconnect();
    port = null;
  }, IDLE);
}

function disconnected(reason) {
  const error = new HostError(
    hasAnswered
      ? { code: "lost", message: "The connection to clips was lost. Try again." }
      : { code: "missing", message: sentence(reason) });
  port = null;
  const requests = [...pending.values()];
  pending.clear();
  for (const request of requests) request.reject(error);
  clearTimeout(timer);
  if (holders > 0) timer = setTimeout(() => port ?? connect(), RETRY);
  events.down(error);
}

function sentence(reason) {
  return /not found|no such|forbidden/i.test(reason)
    ? "This browser is not connected to clips."
    : "The clips program did not start.";
}
