import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromiumPackage from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
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

/** Builds the console into a folder of its own: `dist` may be that of an older state. */
export function buildConsole(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-console-'));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error', '--outDir', folder], { cwd: root });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
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
  const built = buildConsole();
  const browser = await openBrowser();
  if (browser === null) {
    built.remove();
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-browser-'));
  const installation = await makeInstallation(folder, built.folder);
  return {
    ...{ browser, installation, consoleFolder: built.folder },
    async close() {
      await browser.close();
      await installation.close();
      built.remove();
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
  { browser, installation }: Stage,
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
  await context.route('**/api/v1/session', (route) => route.fulfill({ json: session }));
  return context;
}

/** Opens a page of the console. `faults` collects errors, and breaches of the content security policy. */
export async function openPage(context: BrowserContext, url: string): Promise<{ page: Page; faults: string[] }> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' || /content security policy/i.test(message.text())) faults.push(message.text());
  });
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, faults };
}
