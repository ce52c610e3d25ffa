import type { CommandModule } from './command.ts';

/** The commands: each is loaded only when it is called, so that `--help` starts at once. */
export const load = {
  run: () => import('./run.ts'),
  validate: () => import('./validate.ts'),
  status: () => import('./status.ts'),
  resume: () => import('./resume.ts'),
  pause: () => import('./pause.ts'),
  reorder: () => import('./reorder.ts'),
  report: () => import('./report.ts'),
  sandbox: () => import('./sandbox.ts'),
  jobs: () => import('./jobs.ts'),
  serve: () => import('./serve.ts'),
  submit: () => import('./submit.ts'),
  approve: () => import('./approve.ts'),
  reject: () => import('./reject.ts'),
  release: () => import('./release.ts'),
  skip: () => import('./skip.ts'),
  resolve: () => import('./resolve.ts'),
  retry: () => import('./retry.ts'),
  balance: () => import('./balance.ts'),
  networks: () => import('./networks.ts'),
  products: () => import('./products.ts'),
  migrateCheck: () => import('./migrate-check.ts'),
  reconcile: () => import('./reconcile.ts'),
  audit: () => import('./audit.ts'),
  forget: () => import('./forget.ts'),
  verify: () => import('./verify.ts'),
  key: () => import('./key.ts'),
} satisfies Record<string, () => Promise<CommandModule>>;

export type CommandName = keyof typeof load;
