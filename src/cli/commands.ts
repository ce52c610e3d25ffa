import type { CommandModule } from './base/command.ts';

/** The commands. Each is loaded only when it runs, so that `--help` starts fast. */
export const load = {
  run: () => import('./files/run.ts'),
  validate: () => import('./files/validate.ts'),
  status: () => import('./batches/status.ts'),
  rows: () => import('./batches/rows.ts'),
  resume: () => import('./batches/resume.ts'),
  pause: () => import('./batches/pause.ts'),
  reorder: () => import('./batches/reorder.ts'),
  report: () => import('./audits/report.ts'),
  sandbox: () => import('./serving/sandbox.ts'),
  jobs: () => import('./serving/jobs.ts'),
  serve: () => import('./serving/serve.ts'),
  console: () => import('./serving/console.ts'),
  submit: () => import('./files/submit.ts'),
  approve: () => import('./batches/approve.ts'),
  reject: () => import('./batches/reject.ts'),
  release: () => import('./batches/release.ts'),
  skip: () => import('./batches/skip.ts'),
  resolve: () => import('./batches/resolve.ts'),
  retry: () => import('./batches/retry.ts'),
  accounts: () => import('./service/accounts.ts'),
  balance: () => import('./service/balance.ts'),
  networks: () => import('./service/networks.ts'),
  products: () => import('./service/products.ts'),
  migrateCheck: () => import('./migration/migrate-check.ts'),
  reconcile: () => import('./audits/reconcile.ts'),
  audit: () => import('./audits/audit.ts'),
  auditPack: () => import('./audits/audit-pack.ts'),
  forget: () => import('./audits/forget.ts'),
  verify: () => import('./audits/verify.ts'),
  key: () => import('./audits/key.ts'),
  apiKeys: () => import('./serving/api-keys.ts'),
  webhooks: () => import('./serving/webhooks.ts'),
} satisfies Record<string, () => Promise<CommandModule>>;

export type CommandName = keyof typeof load;
