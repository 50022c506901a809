// Which language a reader gets. A new language is a file beside this one and a line here.
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
/** Every language there is, by its two-letter code. */
export const LANGUAGES = { en, de, es };
/** The texts for a locale such as "de", "de-AT" or "es-419"; English for one nobody has written yet. */
export function textsFor(locale) {
    const code = (locale ?? '').split(/[-_]/u, 1)[0]?.toLowerCase() ?? '';
    return Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : en;
}
//# sourceMappingURL=index.js.map