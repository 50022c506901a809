// Turns what people type into a filter. Discord's autocomplete is not binding, so free text arrives too. Clear input
// is translated; for other input, the reply names the nearest values that exist.
import { nearestCountries, resolveCountry } from '../../domain/countries.js';
import { LONGEST_WORD, MOST_TAGS, MOST_WORDS } from '../../domain/filter.js';
import { displayTag, isTag, nearestTags, resolveTag } from '../../domain/tags.js';
import { oneLine } from '../../domain/text.js';
import { wantedPay } from '../../domain/wanted-pay.js';
import { countryName } from '../../render/describe.js';
import { createFaults, FormError } from './faults.js';
/** The filter options of a command. */
export function filterForm(options) {
    const text = (name) => {
        const value = options[name];
        return value === undefined ? {} : { [name === 'min_salary' ? 'minSalary' : name]: String(value) };
    };
    return {
        ...text('tags'),
        ...text('country'),
        ...text('include'),
        ...text('exclude'),
        ...text('min_salary'),
        ...(options.remote === true ? { remote: true } : {}),
    };
}
/** Words between commas, semicolons or line breaks, with blanks folded, without empty words and repetitions. */
function listOf(text) {
    const words = (text ?? '').split(/[,;\n]/u).map(oneLine);
    return [...new Set(words.filter((word) => word !== ''))];
}
/**
 * The filter in the form `parseFilter` reads. Throws a {@link UserError} in the reader's language with every fault:
 * unknown tags and countries with the nearest ones, pay that is not an amount, too many or too long words.
 */
export function readFilter(form, texts) {
    const { add, collect, settle } = createFaults();
    const fault = texts.bot.fault;
    const tags = listOf(form.tags).map((word) => collect(() => tagOf(word, texts)));
    const country = collect(() => countryOf(form.country, texts));
    const minSalary = collect(() => payOf(form.minSalary, texts));
    const include = listOf(form.include);
    const exclude = listOf(form.exclude);
    if (tags.length > MOST_TAGS)
        add(new FormError(fault.tooManyTags(MOST_TAGS), ['tags']));
    for (const [field, words] of Object.entries({ include, exclude }))
        if (words.length > MOST_WORDS || words.some((word) => word.length > LONGEST_WORD))
            add(new FormError(fault.words(MOST_WORDS, LONGEST_WORD), [field]));
    settle();
    return {
        tags: [...new Set(tags)],
        ...(country ? { country } : {}),
        ...(form.remote ? { remote: true } : {}),
        include,
        exclude,
        ...(minSalary ? { minSalary } : {}),
    };
}
function tagOf(word, texts) {
    const tag = resolveTag(word);
    if (tag)
        return tag;
    const near = nearestTags(word, 3);
    const { unknownTag, didYouMean, seeList } = texts.bot.fault;
    throw new FormError(`${unknownTag(word.slice(0, 60))} ${near.length > 0 ? didYouMean(near.join(', ')) : seeList}`, ['tags']);
}
function countryOf(text, texts) {
    const wanted = oneLine(text ?? '');
    if (wanted === '')
        return undefined;
    const found = resolveCountry(wanted);
    if (found)
        return found.slug;
    const near = nearestCountries(wanted, 3).map((slug) => countryName(slug, texts));
    const { unknownCountry, didYouMean, seeList } = texts.bot.fault;
    throw new FormError(`${unknownCountry(wanted.slice(0, 60))} ${near.length > 0 ? didYouMean(near.join(', ')) : seeList}`, ['country']);
}
function payOf(text, texts) {
    const wanted = oneLine(text ?? '');
    if (wanted === '' || wanted === '0')
        return undefined;
    const value = wantedPay(wanted);
    if (value !== undefined)
        return value;
    throw new FormError(texts.bot.fault.pay(wanted.slice(0, 40)), ['min_salary']);
}
/** A filter as a person would type it, to fill in a form with the current settings. */
export function formOf(filter) {
    return {
        tags: filter.tags.join(', '),
        country: filter.country ?? '',
        include: filter.include.join(', '),
        exclude: filter.exclude.join(', '),
        minSalary: filter.minSalary === undefined ? '' : String(filter.minSalary),
        ...(filter.remote ? { remote: true } : {}),
    };
}
/** Offered before anything is typed: the tags most people ask for. */
const POPULAR = ('solidity rust defi smart-contract front-end full-stack backend blockchain zero-knowledge product-manager marketing ' +
    'design data-science devops developer-relations ai golang javascript react research community-manager entry-level ' +
    'intern non-tech sales').split(' ');
/**
 * Completes the last item of a comma list and keeps the ones before it. Every choice is the whole new value, because
 * Discord puts exactly that into the option.
 */
export function tagChoices(typed) {
    const pieces = typed.split(',').map((piece) => piece.trim());
    const last = pieces.pop() ?? '';
    const kept = pieces.filter((piece) => piece !== '').map((piece) => resolveTag(piece) ?? piece);
    const offered = last === '' ? POPULAR : nearestTags(last, 25);
    return offered
        .filter((tag) => !kept.includes(tag))
        .map((tag) => ({
        name: [...kept.map(displayTag), displayTag(tag)].join(', '),
        value: [...kept, tag].join(', '),
    }))
        .filter(({ name, value }) => name.length <= 100 && value.length <= 100)
        .slice(0, 25);
}
const POPULAR_COUNTRIES = ('united-states united-kingdom germany canada singapore switzerland portugal spain france netherlands india brazil ' +
    'united-arab-emirates hong-kong poland argentina australia japan south-korea turkey nigeria vietnam ukraine italy ireland').split(' ');
/** Countries by their name in the reader's language. */
export function countryChoices(typed, texts) {
    const wanted = typed.trim().toLowerCase();
    const slugs = wanted === '' ? POPULAR_COUNTRIES : nearestCountries(typed, 25);
    return slugs.slice(0, 25).map((slug) => ({ name: countryName(slug, texts).slice(0, 100), value: slug }));
}
/** The filter options, the same in every command that has them. */
export const FILTER_OPTIONS = [
    { name: 'tags', type: 'text', complete: true, max: 300 },
    { name: 'country', type: 'text', complete: true, max: 100 },
    { name: 'remote', type: 'yesno' },
    { name: 'include', type: 'text', max: 400 },
    { name: 'exclude', type: 'text', max: 400 },
    { name: 'min_salary', type: 'whole', min: 0, max: 10_000_000 },
];
/** What was read as something else than it says: "zk" as zero knowledge, "USA" as United States. */
export function translations(form, filter, texts) {
    const { translated } = texts.bot.note;
    const typed = form.country?.trim() ?? '';
    const country = typed === '' ? undefined : resolveCountry(typed);
    const name = country && countryName(country.slug, texts);
    const same = name?.toLowerCase() === typed.toLowerCase();
    return [
        ...listOf(form.tags).flatMap((word) => {
            const tag = resolveTag(word);
            const plain = isTag(word.toLowerCase().replaceAll(' ', '-'));
            return tag && !plain ? [translated(word, displayTag(tag))] : [];
        }),
        ...(name && filter.country && !country?.exact && !same ? [translated(typed, name)] : []),
    ];
}
//# sourceMappingURL=filter.js.map