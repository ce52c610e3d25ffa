import { z } from 'zod';

/** Whether a URL's host name always means this machine. The URL parser has already normalised IPv4 addresses. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * What is wrong with a URL to which credentials, names or payments are sent; null if nothing is. It must be https, or
 * http to this machine: anything else sends them unencrypted.
 */
export function clearTextFault({ protocol, hostname }: URL): string | null {
  if (protocol === 'https:') return null;
  if (protocol !== 'http:') return 'must be https';
  return isLoopback(hostname) ? null : 'must be https (http is for this machine only)';
}

/** The same check for a text. */
export function urlFault(text: string): string | null {
  return URL.canParse(text) ? clearTextFault(new URL(text)) : 'is not a URL';
}

/**
 * A URL that may be stored and shown: without its query, its fragment and the part before the host, which may be
 * secrets.
 */
export function shownUrl(text: string): string {
  const url = new URL(text);
  if (`${url.username}${url.password}${url.search}${url.hash}` === '') return text;
  return `${url.origin}${url.pathname}`;
}

/** A field with a URL that passes `clearTextFault`. */
export const safeUrl = z.url({ abort: true }).check((context) => {
  const message = clearTextFault(new URL(context.value));
  if (message !== null) context.issues.push({ code: 'custom', input: context.value, message });
});
