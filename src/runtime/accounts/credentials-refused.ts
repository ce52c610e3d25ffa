import { AirbatchError } from '../../core/basics/errors.ts';
import type { Evidence } from '../../gateway/contract/gateway.ts';
import type { OpenAccount } from './account.ts';

/**
 * The error if the service refuses an account's credentials. It names the variables that hold them, and never a value.
 * `next` says what to do once they are correct. `permission` is what the request needs; null if the spec does not say
 * (section 5.1).
 */
export function credentialsRefused(
  { name, credentialsFrom, gateway }: Pick<OpenAccount, 'name' | 'credentialsFrom' | 'gateway'>,
  { code, message, httpStatus }: Pick<Evidence, 'code' | 'message' | 'httpStatus'>,
  next: string,
  permission: string | null,
): AirbatchError {
  const lacks = permission !== null && httpStatus === 403 && gateway.version === 'V2';
  const give = lacks ? `Give the key the permission ${permission}, or correct` : 'Correct';
  return new AirbatchError(
    'CREDENTIALS_REJECTED',
    `the service rejects the credentials of account "${name}" (${credentialsFrom}): ${code}, ${message}`,
    { hint: `${give} ${credentialsFrom} where it is set, then ${next}.` },
  );
}
