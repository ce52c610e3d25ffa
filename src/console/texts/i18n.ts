import { setupI18n } from '@lingui/core';
import type { texts as english } from './en.ts';
import type { texts as ofPages } from './en-pages.ts';

export type TextId = keyof typeof english | keyof typeof ofPages;
export type Values = Record<string, string | number>;

export const languages = ['en', 'fr', 'sw', 'pt'] as const;
export type Language = (typeof languages)[number];

/** Each language by its own name, which its readers can read. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  fr: 'Français',
  sw: 'Kiswahili',
  pt: 'Português',
};

const i18n = setupI18n();

const catalogues: Record<Language, () => Promise<{ texts: Record<keyof typeof english, string> }>> = {
  en: () => import('./en.ts'),
  fr: () => import('./fr.ts'),
  sw: () => import('./sw.ts'),
  pt: () => import('./pt.ts'),
};

const pageCatalogues: Record<Language, () => Promise<{ texts: Record<keyof typeof ofPages, string> }>> = {
  en: () => import('./en-pages.ts'),
  fr: () => import('./fr-pages.ts'),
  sw: () => import('./sw-pages.ts'),
  pt: () => import('./pt-pages.ts'),
};

/** Whether such a page was opened: a language that is chosen later has its texts, too. */
let hasPageTexts = false;

/** Loads the texts of failures and of pages that are not opened first. */
export async function loadPageTexts(language: Language = currentLanguage()): Promise<void> {
  hasPageTexts = true;
  const { texts } = await pageCatalogues[language]();
  i18n.load(language, texts);
}

/** A text in the reader's language. */
export function t(id: TextId, values: Values = {}): string {
  return i18n._(id, values);
}

/** Whether there is such a text: some are there for a part of their kind only. */
export function hasText(id: string): id is TextId {
  return i18n.messages[id] !== undefined;
}

export function currentLanguage(): Language {
  return i18n.locale as Language;
}

/** How the reader's language writes numbers and dates: as the browser's own region does, where it has that language. */
export function intlLocale(): string {
  return regionOf(currentLanguage(), navigator.languages);
}

export function regionOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((locale) => locale.split('-')[0] === language) ?? language;
}

function isLanguage(text: string | null): text is Language {
  return (languages as readonly (string | null)[]).includes(text);
}

const storedAs = 'airbatch.language';

/** The language that was chosen in this browser, or the first of the browser's languages that the console has. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storedAs);
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((locale) => locale.split('-')[0] ?? '').find(isLanguage) ?? 'en';
}

/** Loads the texts of a language and uses them from then on. */
export async function showLanguage(language: Language): Promise<void> {
  const { texts } = await catalogues[language]();
  i18n.load(language, texts);
  if (hasPageTexts) await loadPageTexts(language);
  // Counts in a text have the digits that amounts have.
  i18n.activate(language, regionOf(language, navigator.languages));
  document.documentElement.lang = language;
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(storedAs, language);
}
