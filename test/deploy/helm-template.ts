import { createHash } from 'node:crypto';

/** What the templates of a chart see. */
export interface Scope {
  Values: Record<string, unknown>;
  Release: { Name: string };
}

type Piece = { text: string } | { tag: string };

/**
 * Renders a template of deploy/helm: the part of Helm's language that our templates use, and an error for everything
 * else. It shows that they parse and give what is meant; Helm itself cannot be had here.
 */
export function rendered(template: string, scope: Scope): string {
  const pieces = cut(template);
  const at = { index: 0 };
  const text = block(pieces, at, scope, true);
  if (at.index < pieces.length) throw new Error('an "end" or "else" without "if"');
  return text;
}

/** "{{-" also takes the white space before it, and "-}}" that after it. */
function cut(template: string): Piece[] {
  const parts = template.split(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/);
  const pieces: Piece[] = [];
  for (let at = 0; at < parts.length; at += 4) {
    let text = parts[at] ?? '';
    if (parts[at - 1] === '-') text = text.trimStart();
    if (parts[at + 1] === '-') text = text.trimEnd();
    pieces.push({ text });
    if (parts[at + 2] !== undefined) pieces.push({ tag: parts[at + 2] ?? '' });
  }
  return pieces;
}

function block(pieces: readonly Piece[], at: { index: number }, scope: Scope, isShown: boolean): string {
  let text = '';
  for (; at.index < pieces.length; at.index++) {
    const piece = pieces[at.index] as Piece;
    if ('text' in piece) {
      text += piece.text;
      continue;
    }
    if (piece.tag === 'end' || piece.tag === 'else') break;
    if (piece.tag.startsWith('if ')) text += choice(pieces, at, scope, isShown);
    else if (isShown) text += String(pipelineValue(piece.tag, scope));
  }
  return isShown ? text : '';
}

function choice(pieces: readonly Piece[], at: { index: number }, scope: Scope, isShown: boolean): string {
  const { tag } = pieces[at.index] as { tag: string };
  const isTrue = isShown && isTruthy(pipelineValue(tag.slice(3), scope));
  at.index += 1;
  let text = block(pieces, at, scope, isTrue);
  if (tagAt(pieces, at) === 'else') {
    at.index += 1;
    text += block(pieces, at, scope, isShown && !isTrue);
  }
  if (tagAt(pieces, at) !== 'end') throw new Error(`no "end" of "${tag}"`);
  return text;
}

function tagAt(pieces: readonly Piece[], { index }: { index: number }): string | undefined {
  const piece = pieces[index];
  return piece && 'tag' in piece ? piece.tag : undefined;
}

function isTruthy(value: unknown): boolean {
  return value !== '' && value !== 0 && value !== false && value !== null && value !== undefined;
}

const functions: Record<string, (...given: never[]) => unknown> = {
  toJson: (value: unknown) => JSON.stringify(value),
  toPrettyJson: (value: unknown) => JSON.stringify(value, null, 2),
  quote: (value: unknown) => JSON.stringify(String(value)),
  trim: (value: string) => value.trim(),
  int: (value: unknown) => Number(value),
  add: (...values: number[]) => values.reduce((sum, value) => sum + value, 0),
  gt: (a: number, b: number) => a > b,
  printf: (format: string, ...values: string[]) => values.reduce((text, value) => text.replace('%s', value), format),
  nindent: (spaces: number, text: string) => text.replaceAll(/^/gm, ' '.repeat(spaces)).replace(/^/, '\n'),
  sha256sum: (text: string) => createHash('sha256').update(text).digest('hex'),
};

/** The value of a pipeline: what stands before "|" is the last argument of what follows. */
function pipelineValue(pipeline: string, scope: Scope): unknown {
  return pipeline.split(/\s+\|\s+/).reduce<unknown>((before, command, index) => {
    const words = command.match(/\([^)]*\)|"[^"]*"|\S+/g) ?? [];
    const [first = '', ...rest] = words.map((word) => wordValue(word, scope));
    const given = index === 0 ? rest : [...rest, before];
    if (typeof first !== 'function') return first;
    return first(...(given as never[]));
  }, undefined);
}

function wordValue(word: string, scope: Scope): unknown {
  if (word.startsWith('(')) return pipelineValue(word.slice(1, -1), scope);
  if (word.startsWith('"')) return JSON.parse(word);
  if (/^\d+$/.test(word)) return Number(word);
  if (!word.startsWith('.')) {
    const named = functions[word];
    if (named === undefined) throw new Error(`no function "${word}"`);
    return named;
  }
  return word
    .slice(1)
    .split('.')
    .reduce<unknown>((value, name) => {
      if (typeof value !== 'object' || value === null || !(name in value)) throw new Error(`no value ${word}`);
      return (value as Record<string, unknown>)[name];
    }, scope);
}
