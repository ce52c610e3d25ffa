import type { Answer } from '../../api/client.ts';

/** A person as `list-users` has them. */
export type Person = Answer<'/api/v1/users'>['users'][number];

export const peopleKey = ['people'] as const;

/** The session, too, knows a person's second factors. */
export const factorReads = [['factors'], ['session']] as const;
