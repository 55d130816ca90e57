export type Language = 'en' | 'pt-BR';

/** The supported language that the reader prefers, by `Accept-Language`; default English. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  let [chosen, best]: [Language, number] = ['en', 0];
  for (const item of (acceptLanguage ?? '').split(',')) {
    const [tag = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const language = languages.get(tag.split('-')[0]!);
    const weight = weightOf(parameters);
    if (language && weight > best) [chosen, best] = [language, weight];
  }
  return chosen;
}

const languages: ReadonlyMap<string, Language> = new Map([
  ['en', 'en'],
  ['pt', 'pt-BR'],
]);

function weightOf(parameters: string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return /^[01](?:\.\d{0,3})?$/.test(text) ? Number(text) : 0;
}
