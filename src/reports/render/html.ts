import { createHash } from 'node:crypto';
import { visibleText } from '../../core/text/visible.ts';

/** A piece of HTML that is safe in a page. Only `html` makes one. */
export interface Html {
  readonly text: string;
}

type Part = Html | string | number | null | readonly Html[];

/**
 * A template of HTML. Every value is escaped, unless this template made it. Values must be between tags or in quoted
 * attributes.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0] ?? '';
  for (const [at, part] of parts.entries()) text += partText(part) + (strings[at + 1] ?? '');
  return { text };
}

function partText(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'text' in part ? part.text : part.map(({ text }) => text).join('');
}

/**
 * A complete page without scripts and links, and with a content policy that forbids both. The policy names its one
 * style by its digest.
 */
export function htmlPage(title: string, style: string, body: Html): string {
  const digest = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
  const head = html`<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="robots" content="noindex"><title>${title}</title>`;
  return `<!doctype html>\n<html lang="en"><head>${head.text}<style>${style}</style></head>\n<body>${body.text}</body></html>\n`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (found) => entities[found] ?? found);
}
