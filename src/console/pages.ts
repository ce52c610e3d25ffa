import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { noteOnline } from './api/connection.ts';
import { Unreachable } from './api/problem.ts';
import { loadPageTexts } from './texts/i18n.ts';

/** A page, loaded when somebody opens it. */
export interface ConsolePage {
  /** `:name` is a part of the address. */
  path: string;
  component: LazyExoticComponent<ComponentType>;
}

/** Loads a page from its file, by name, with the texts of pages. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => {
    const [loaded] = await Promise.all([load(), loadPageTexts()]).catch(() => {
      noteOnline(false);
      throw new Unreachable();
    });
    const component: ComponentType = loaded[name];
    return { default: component };
  });
}

/** The page that people open first comes without the texts of the others, so that it is there sooner. */
const BatchesPage = lazy(async () => ({ default: (await import('./pages/batches/batches-page.tsx')).BatchesPage }));

/** All pages. One that the navigation has (`shell/nav-items.ts`) appears there with its line here. */
export const pages: readonly ConsolePage[] = [
  { path: '/', component: BatchesPage },
  { path: '/batches/:id', component: page(() => import('./pages/batch/batch-page.tsx'), 'BatchPage') },
  {
    path: '/batches/:id/approval',
    component: page(() => import('./pages/approval/approval-page.tsx'), 'ApprovalPage'),
  },
  { path: '/new', component: page(() => import('./pages/upload/new-batch-page.tsx'), 'NewBatchPage') },
  { path: '/new/:id', component: page(() => import('./pages/new-batch/draft-page.tsx'), 'DraftPage') },
  { path: '/approvals', component: page(() => import('./pages/approval/approvals-page.tsx'), 'ApprovalsPage') },
  { path: '/doubts', component: page(() => import('./pages/doubts/doubts-page.tsx'), 'DoubtsPage') },
  { path: '/reports', component: page(() => import('./pages/reports/reports-page.tsx'), 'ReportsPage') },
  { path: '/reports/:id', component: page(() => import('./pages/reports/report-page.tsx'), 'ReportPage') },
  {
    path: '/reconciliation',
    component: page(() => import('./pages/reconciliation/reconciliation-page.tsx'), 'ReconciliationPage'),
  },
  {
    path: '/reconciliation/:id',
    component: page(() => import('./pages/reconciliation/earlier-page.tsx'), 'EarlierPage'),
  },
  { path: '/audit', component: page(() => import('./pages/audit/audit-page.tsx'), 'AuditPage') },
  { path: '/jobs', component: page(() => import('./pages/jobs/jobs-page.tsx'), 'JobsPage') },
  { path: '/wallets', component: page(() => import('./pages/wallets/wallets-page.tsx'), 'WalletsPage') },
  { path: '/payments', component: page(() => import('./pages/payments/payments-page.tsx'), 'PaymentsPage') },
  { path: '/payout', component: page(() => import('./pages/payout/payout-page.tsx'), 'PayoutPage') },
  { path: '/workers', component: page(() => import('./pages/workers/workers-page.tsx'), 'WorkersPage') },
  { path: '/people', component: page(() => import('./pages/people/people-page.tsx'), 'PeoplePage') },
  { path: '/account', component: page(() => import('./pages/people/own-account-page.tsx'), 'OwnAccountPage') },
  { path: '/settings', component: page(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage') },
  {
    path: '/settings/webhooks/:id',
    component: page(() => import('./pages/settings/endpoint-page.tsx'), 'EndpointPage'),
  },
];
