/** Requests that the sandbox accepts as they are, by method and path: a test sends each. */
export const requestExamples: Readonly<Record<string, object>> = {
  'POST /v2/topups': {
    phone_number: '+254712345678',
    network_id: 1,
    amount: { value: 100, currency: 'KES' },
    reference: 'payroll-2026-11/17',
    callback_url: 'https://client.example/topups',
  },
  'POST /enterprise/auth/login': { email: 'admin@airbatch.test', password: 'sandbox-password' },
  'POST /enterprise/webhooks': {
    url: 'https://client.example/events',
    events: ['transaction.completed', 'transaction.failed'],
    secret: 'a secret of at least 8 characters',
  },
  'POST /adp': { msisdn: '254712345679', amount: 100, extRefId: 'payroll-2026-11/18', processingMode: 'ASYNC' },
  'POST /_sandbox/wallets/:id': { balance: 25, status: 'active' },
  'POST /_sandbox/clock': { advance_ms: 3_600_000 },
};

/** Values for parameters, by name. */
export const parameterExamples: Readonly<Record<string, string>> = {
  account_id: '00000000-0000-4000-8000-000000000001',
  country_code: 'KE',
  extRefId: 'payroll-2026-11/18',
  from: '2026-11-01T00:00:00Z',
  key: 'sandbox-key',
  msisdn: '254712345679',
  network_id: '1',
  phone_number: '+254712345678',
  reference: 'payroll-2026-11/17',
  search: 'safaricom',
  serviceId: '1',
  to: '2026-11-30',
  wallet_id: 'wallet-usd',
};
