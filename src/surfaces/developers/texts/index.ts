import type { Language } from '#platform/pages/language';
import { en, type Texts } from './en.ts';
import { pt } from './pt.ts';

export type { Texts } from './en.ts';
export const texts: Record<Language, Texts> = { en, 'pt-BR': pt };
