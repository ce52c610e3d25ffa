import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromiumPackage from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Route,
} from 'playwright-core';
import { root } from '../house/imports.ts';
import { type Installation, makeInstallation } from './installation.ts';

const usualPlaces = [
  ...['/usr/bin/google-chrome', '/usr/bin/google-chrome-stable', '/usr/bin/chromium', '/usr/bin/chromium-browser'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** A Chromium: the one that CHROME_PATH names, an installed one, or the one of a package. Null if none can run here. */
export async function openBrowser(): Promise<Browser | null> {
  const installed = [process.env.CHROME_PATH ?? '', ...usualPlaces].find((path) => path !== '' && existsSync(path));
  try {
    if (installed !== undefined) return await chromium.launch({ executablePath: installed, args });
    const executablePath = await chromiumPackage.executablePath();
    return await chromium.launch({ executablePath, args: ['--headless=shell', ...args] });
  } catch {
    return null;
  }
}

/**
 * The folder of the built console: `dist` may be that of an older state. It is built once for all files of tests, and
 * again when something changes that goes into it.
 */
export function buildConsole(): string {
  const digest = createHash('sha256');
  const inputs = ['vite.config.ts', 'package-lock.json', ...globSync('src/console/**/*.*', { cwd: root }).sort()];
  for (const path of inputs) digest.update(`${path}\n`).update(readFileSync(join(root, path)));
  const folder = join(root, 'node_modules/.cache/console', digest.digest('hex'));
  if (existsSync(folder)) return folder;
  const building = `${folder}-${process.pid}`;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error', '--outDir', building], { cwd: root });
  try {
    renameSync(building, folder);
  } catch (error) {
    // Another process has built the same meanwhile.
    if (!existsSync(folder)) throw error;
    rmSync(building, { recursive: true, force: true });
  }
  return folder;
}

/** What all browser tests share: the console is built once, and one browser is started. */
export interface Stage {
  browser: Browser;
  installation: Installation;
  consoleFolder: string;
  close(): Promise<void>;
}

/** Null if no browser can run here. */
export async function makeStage(): Promise<Stage | null> {
  const consoleFolder = buildConsole();
  const browser = await openBrowser();
  if (browser === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-browser-'));
  const installation = await makeInstallation(folder, consoleFolder);
  return {
    ...{ browser, installation, consoleFolder },
    async close() {
      await browser.close();
      await installation.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const allRoles = ['prepare', 'approve', 'operate', 'resolve', 'audit', 'admin'];

export interface Person {
  name?: string;
  roles?: readonly string[];
  options?: BrowserContextOptions;
}

/** A browser window of somebody who is signed in. Signing in itself has tests of its own. */
export async function windowOf(
  { browser, installation }: Pick<Stage, 'browser'> & { installation: Pick<Installation, 'key'> },
  { name = 'wanjiru', roles = allRoles, options = {} }: Person = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...{ locale: 'en-KE', timezoneId: 'Africa/Nairobi', viewport: { width: 1440, height: 900 } },
    ...options,
    extraHTTPHeaders: { authorization: `Bearer ${installation.key}` },
  });
  const session = {
    ...{ person: name, display_name: name, roles, accounts: [], csrf_token: 'token' },
    ...{ second_factor: 'none', factors: [], locale: 'en' },
  };
  // In the page: where a test answers requests itself, the browser caches nothing and compiles each script anew.
  await context.addInitScript((session) => {
    const send = window.fetch;
    const isAsked = (request: unknown) =>
      request instanceof Request && request.method === 'GET' && new URL(request.url).pathname === '/api/v1/session';
    window.fetch = async (...args) => (isAsked(args[0]) ? Response.json(session) : await send(...args));
  }, session);
  return context;
}

/** What an answer meets that was under way when its test ended, or when the tab was given to the next page. */
const tooLate = /disposed|closed|already handled/;

/** Answers the requests of a window or of a tab to these addresses. */
export async function intercept(
  on: BrowserContext | Page,
  url: Parameters<Page['route']>[0],
  act: (route: Route) => unknown,
): Promise<void> {
  await on.route(url, async (route) => {
    try {
      await act(route);
    } catch (error) {
      if (!tooLate.test(String(error))) throw error;
    }
  });
}

/** Opens a page of the console. `faults` collects errors, and breaches of the content security policy. */
export async function openPage(context: BrowserContext, url: string): Promise<{ page: Page; faults: string[] }> {
  const page = await context.newPage();
  const faults = faultsIn(page);
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, faults };
}

/** Collects errors of the pages that a tab shows, and breaches of the content security policy. */
export function faultsIn(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' || /content security policy/i.test(message.text())) faults.push(message.text());
  });
  return faults;
}

/**
 * Leaves nothing of the page that a tab has shown, and no answers that were made for it: the next one may be shown in
 * the same tab. For a new tab, the browser starts a process, which compiles the console anew.
 */
export async function leavePage(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
