// Reads and writes config/subscriptions.yaml and everything in its form (import, export). A file is read as a whole or
// not at all, and all faults of all entries are reported together.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify, } from 'yaml';
import { throwFaults, UserError } from './domain/errors.js';
import { destinationEntry, EntryError, isPaused, OPERATOR, parseSubscription, } from './domain/subscription.js';
import { reconcile } from './pipeline/reconcile.js';
import { entryContext } from './wiring/sinks.js';
/**
 * Returns the path of the file in CONFIG_DIR and its text, undefined when there is no file. Throws a {@link UserError}
 * (exit 2) when it can't be read.
 */
export async function readSubscriptionsFile(dir) {
    const file = join(dir, 'subscriptions.yaml');
    try {
        return { file, text: await readFile(file, 'utf8') };
    }
    catch (error) {
        const { code } = error;
        if (code === 'ENOENT' || code === 'ENOTDIR')
            return { file, text: undefined };
        throw new UserError(`${file} can't be read (${code}); make it a file that this user can read.`, 2);
    }
}
/** The sentence for a file that is absent or empty: the subscriptions it listed before (`kept` of them) continue. */
export function noEntries(file, text, kept) {
    return `${file} is ${text === undefined ? 'not there' : 'empty'}, so what it brought before goes on (${kept}); put it back, or write [] into it to remove that`;
}
/** The sentence for a file that lacks too many (`gone` of `all`) subscriptions at once: they continue. */
export function massRemoval(file, gone, all) {
    return `${gone} of ${all} subscriptions are no longer in ${file}, which looks like a mistake, so they go on; "jobcrier subscriptions reconcile --allow-removal" removes them`;
}
/**
 * Reads a list of entries. Returns undefined for a text without any value, which is not the same as an empty list. Throws
 * a {@link UserError} (exit 2) with all faults, including ids listed twice; each begins with `file:line:column` and the
 * number of the entry. No fault repeats a value that may be a secret.
 */
export function parseSubscriptions(text, context, file = 'subscriptions') {
    const plain = fromJson(text, context);
    if (plain)
        return plain;
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const at = (offset) => {
        const { line, col } = lines.linePos(offset);
        return `${file}:${line}:${col}`;
    };
    // Only the code: the message of a syntax error may quote the text.
    const broken = document.errors.map(({ code, pos }) => {
        const what = code.toLowerCase().replaceAll('_', ' ');
        return `${at(pos[0])}: this is not YAML (${what}).`;
    });
    throwFaults([...new Set(broken)].slice(0, MOST_SYNTAX_FAULTS));
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null))
        return undefined;
    if (!isSeq(contents))
        throw new UserError(`${at(contents.range?.[0] ?? 0)}: wanted a list of entries, each beginning with "- id: …".`, 2);
    const faults = [];
    const read = [];
    const ids = new Set();
    for (const [index, entry] of valuesOf(document).entries()) {
        const fault = (path, says, id) => faults.push(`${at(offsetOf(contents.items[index], path, says))}: entry ${index + 1}, subscription ${id || '(without id)'}: ${says}`);
        const once = (id) => {
            if (ids.has(id))
                fault([], 'id: it is listed twice; wanted a different id for each entry.', id);
            if (id)
                ids.add(id);
        };
        try {
            const one = parseSubscription(entry, context);
            once(one.id);
            read.push(one);
        }
        catch (error) {
            if (!(error instanceof EntryError))
                throw error;
            once(error.id);
            for (const { path, says } of error.faults)
                fault(path, says, error.id);
        }
    }
    throwFaults(faults);
    return read;
}
/**
 * The entries of a JSON text without a fault; undefined for any other text. JSON is YAML, but the YAML reader keeps all
 * positions and takes a minute for a hundred thousand entries.
 */
function fromJson(text, context) {
    if (!text.trimStart().startsWith('['))
        return undefined;
    try {
        const entries = JSON.parse(text);
        // JSON.parse takes the last of two fields with the same name; in YAML that is a fault.
        if (namesIn(text) !== namesOf(entries))
            return undefined;
        const read = entries.map((entry) => parseSubscription(entry, context));
        return new Set(read.map(({ id }) => id)).size === read.length ? read : undefined;
    }
    catch (error) {
        if (error instanceof SyntaxError || error instanceof EntryError)
            return undefined;
        throw error;
    }
}
/** Counts the field names in a JSON text. */
function namesIn(text) {
    let count = 0;
    for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu))
        if (colon)
            count++;
    return count;
}
function namesOf(value) {
    if (typeof value !== 'object' || value === null)
        return 0;
    const parts = Object.values(value);
    return parts.reduce((sum, one) => sum + namesOf(one), Array.isArray(value) ? 0 : parts.length);
}
const MOST_SYNTAX_FAULTS = 10;
function valuesOf(document) {
    try {
        return document.toJS();
    }
    catch {
        throw new UserError('The subscriptions file: its aliases unfold into too much; write them out.', 2);
    }
}
/** The field of that name, in the map itself or in a map below it, such as a cadence. */
function pairNamed(map, name) {
    const own = map.items.find(({ key }) => isScalar(key) && key.value === name);
    return own ?? map.items.flatMap(({ value }) => (isMap(value) ? (pairNamed(value, name) ?? []) : [])).at(0);
}
/** The offset of a fault in the text: at the field that its message begins with, or as near as the path leads. */
function offsetOf(entry, path, says) {
    let node = entry;
    let offset = isNode(entry) ? (entry.range?.[0] ?? 0) : 0;
    const [, field = '', unknown = ''] = /^(?:\w+ )?(\w+):(?: "([^"]*)" is not a field)?/u.exec(says) ?? [];
    for (const step of [...path, unknown || field]) {
        if (isMap(node)) {
            const pair = pairNamed(node, step);
            if (!pair)
                break;
            offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
            node = pair.value;
        }
        else if (isSeq(node) && typeof step === 'number') {
            node = node.items[step];
            offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset;
        }
        else
            break;
    }
    return offset;
}
/** Returns subscriptions as YAML for {@link parseSubscriptions}; reading it back gives the same subscriptions. */
export function renderSubscriptions(subscriptions) {
    return stringify(subscriptions.map(subscriptionEntry));
}
/** Returns one subscription as an entry of the file; fields with their default are left out. */
export function subscriptionEntry(subscription) {
    const { id, account, filter, schedule, destinations, newest, reposts, locale } = subscription;
    const { tags, country, remote, include, exclude, minSalary, payUnknown, limit } = filter;
    const some = (list) => (list.length > 0 ? list : undefined);
    return compact({
        id,
        account: account === OPERATOR ? undefined : account,
        filter: compact({
            tags: some(tags),
            country,
            remote,
            include: some(include),
            exclude: some(exclude),
            minSalary,
            payUnknown: payUnknown === 'keep' ? undefined : payUnknown,
            limit,
        }),
        schedule: schedule.cron,
        timezone: schedule.timezone,
        newest: newest || undefined,
        reposts: reposts || undefined,
        paused: isPaused(subscription) || undefined,
        locale,
        destinations: destinations.map((one) => {
            const { timezone } = one.cadence;
            const own = timezone === schedule.timezone ? undefined : timezone;
            return compact({ ...destinationEntry(one), timezone: own });
        }),
    });
}
function compact(fields) {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
}
/**
 * Reads config/subscriptions.yaml (or `given`) and updates the store from it. A file that is absent or empty changes
 * nothing: its former subscriptions continue. Throws a UserError (exit 2) when the file can't be read or has faults.
 */
export async function takeFile(p, config, given) {
    const known = await p.stores.subscriptions.idsFromFile();
    const { file, text } = await readSubscriptionsFile(config.dirs.config);
    const said = given ?? text;
    const now = p.clock.now();
    const entries = said === undefined
        ? undefined
        : parseSubscriptions(said, entryContext(p.sinks, config, 'file', now), file);
    if (!entries) {
        const problem = known.length > 0 ? noEntries(file, said, known.length) : undefined;
        if (problem)
            p.log.warn({ kept: known.length }, problem);
        return {
            added: [],
            changed: [],
            removed: [],
            kept: known,
            heldBack: [],
            ...(problem ? { problem } : {}),
        };
    }
    const report = await reconcile(p.stores, entries, { now });
    const { added, changed, removed, kept, heldBack } = report;
    if (known.length > 0 || entries.length > 0)
        p.log.info({ added, changed, removed, kept: kept.length }, 'subscriptions file taken up');
    if (heldBack.length === 0)
        return report;
    const problem = massRemoval(file, heldBack.length, kept.length + changed.length);
    p.log.warn({ heldBack }, problem);
    return { ...report, problem };
}
//# sourceMappingURL=subscriptions-file.js.map