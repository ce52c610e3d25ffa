import type { FastifyInstance } from 'fastify';
import { repeatedMember } from '../../core/text/repeated-member.ts';
import { Refused } from './problem.ts';

/** Lets the routes read bodies of JSON alone, in which no object names a member twice. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) =>
    parse(request, text, (error, value) => done(error ?? repetitionIn(text), value)),
  );
}

/** Parses JSON in which no object names a member twice. Throws `REQUEST_INVALID`, or as `JSON.parse` does. */
export function parseMembersOnce(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const repetition = repetitionIn(text);
  if (repetition !== null) throw repetition;
  return value;
}

function repetitionIn(text: string): Refused | null {
  const name = repeatedMember(text);
  if (name === null) return null;
  return new Refused('REQUEST_INVALID', `The member ${JSON.stringify(name)} is there twice.`, {
    hint: 'Send each member of an object once: nobody can say which of two is meant.',
  });
}
