import type { paths } from '../../api/schema.ts';

/** A person as `list-users` has them. */
export type Person = paths['/api/v1/users']['get']['responses'][200]['content']['application/json']['users'][number];

export const peopleKey = ['people'] as const;
