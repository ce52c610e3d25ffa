/** What an API key may do (spec section 5.1). */
export type Permission = 'airtime.write' | 'airtime.transactions.read' | 'wallets.read';

export interface ApiKey {
  key: string;
  company: string;
  permissions: readonly Permission[];
}

const all: readonly Permission[] = ['airtime.write', 'airtime.transactions.read', 'wallets.read'];

/** The default company of all examples. */
export const demoCompany = 'sandbox-company';

/** Version 2: the sandbox's API keys. They are public on purpose: there is no real money. */
const apiKeys: readonly ApiKey[] = [
  { key: 'sandbox-key', company: demoCompany, permissions: all },
  { key: 'sandbox-read-only-key', company: demoCompany, permissions: ['airtime.transactions.read', 'wallets.read'] },
  { key: 'sandbox-write-only-key', company: demoCompany, permissions: ['airtime.write'] },
  { key: 'sandbox-no-list-key', company: demoCompany, permissions: ['airtime.write', 'wallets.read'] },
  { key: 'other-company-key', company: 'other-company', permissions: all },
];

/** Enterprise log-ins for access tokens (the spec does not show the shape, section 4.7). */
export const logins: readonly { email: string; password: string; company: string }[] = [
  { email: 'admin@airbatch.test', password: 'sandbox-password', company: demoCompany },
  { email: 'admin@other.test', password: 'other-password', company: 'other-company' },
];

/**
 * Version 1: e-mail and token. With `isLocated` false, the credentials are right, but the customer account is not found
 * (code 190).
 */
export const serviceAccounts: readonly { email: string; token: string; company: string; isLocated: boolean }[] = [
  { email: 'sandbox@airbatch.test', token: 'sandbox-token', company: demoCompany, isLocated: true },
  { email: 'nowhere@airbatch.test', token: 'sandbox-token', company: 'nowhere', isLocated: false },
];

export function findApiKey(authorization: string | undefined): ApiKey | null {
  const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
  return apiKeys.find((known) => known.key === key) ?? null;
}
