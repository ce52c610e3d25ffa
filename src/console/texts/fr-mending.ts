import { draft } from './fr/draft.ts';
import { problems } from './fr/problems.ts';

/** The texts of the pages on which files are mended: no other page loads them. */
export const texts = { ...draft, ...problems };
