import { z } from 'zod';

/**
 * Whether a URL's host name can only mean this machine. The URL parser has already written IPv4 addresses in one form.
 */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * What is wrong with a URL that credentials, people or payments are sent to, or null: it is https, or http to this
 * very machine. Anything else would send them in the clear.
 */
export function clearTextFault({ protocol, hostname }: URL): string | null {
  if (protocol === 'https:') return null;
  if (protocol !== 'http:') return 'must be https';
  return isLoopback(hostname) ? null : 'must be https (http is for this machine only)';
}

/** The same of a text. */
export function urlFault(text: string): string | null {
  return URL.canParse(text) ? clearTextFault(new URL(text)) : 'is not a URL';
}

/** A URL as it may be kept and shown: what stands in its query, in its fragment and before its host may be a secret. */
export function shownUrl(text: string): string {
  const url = new URL(text);
  if (`${url.username}${url.password}${url.search}${url.hash}` === '') return text;
  return `${url.origin}${url.pathname}`;
}

/** A field with a URL of which `clearTextFault` says nothing. */
export const safeUrl = z.url({ abort: true }).check((context) => {
  const message = clearTextFault(new URL(context.value));
  if (message !== null) context.issues.push({ code: 'custom', input: context.value, message });
});
