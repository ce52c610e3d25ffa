import { createContext, useContext } from 'react';
import type { Language } from '../texts/i18n.ts';

/** Changing the language redraws everything, and keeps entered text. */
export const LanguageContext = createContext<{ language: Language; choose: (language: Language) => void } | null>(null);

export function useLanguage() {
  const language = useContext(LanguageContext);
  if (language === null) throw new Error('there is no language yet');
  return language;
}
