// The names that both browsers share.
export const api = globalThis.browser ?? globalThis.chrome;
export const isFirefox = "browser" in globalThis;

/** Whether a URL may be saved and opened; the host checks it again. */
export const isSavable = (url) => /^(https?|file):/i.test(url ?? "");

/** Sends a request to the background and returns its answer. */
export async function request(type, fields = {}) {
  const answer = await api.runtime.sendMessage({ ...fields, type });
  if (answer?.error) throw answer.error;
  return answer;
}
