// Reads the environment, .env and config/default.json into one frozen value, once, before anything starts. Reports all
// faults together, so that you don't have to start again for each one.
import { isAbsolute, resolve } from 'node:path';
import { pairFaults, risks } from './config/checks.js';
import { gather } from './config/environment.js';
import { readSettingsFile } from './config/file.js';
import { missingFolders } from './config/folders.js';
import { formerStore as formerStoreUrl, withoutPassword } from './config/parse.js';
import { SETTINGS } from './config/settings.js';
import { throwFaults } from './domain/errors.js';
import { brief } from './domain/form-value.js';
/** Reads all settings. Throws one {@link UserError} (exit 2) with a line per fault, except with `tolerant`. */
export function loadConfig({ env, cwd, programDir, role = 'all', tolerant = false, formerStore = false, }) {
    const { given, faults, warnings } = gather(env, cwd);
    const parsed = {};
    const shown = [];
    for (const setting of SETTINGS) {
        const { name } = setting;
        const text = given[name]?.text ?? setting.default;
        const from = given[name]?.from ?? 'default';
        const visible = (plain) => setting.secret ? '[secret]' : setting.address ? withoutPassword(plain) : plain;
        shown.push({
            name,
            value: text === undefined ? undefined : visible(text),
            from,
            ...(setting.otherwise ? { otherwise: setting.otherwise } : {}),
        });
        if (text === undefined)
            continue;
        const former = formerStore && name === 'STORE_URL' ? formerStoreUrl(text) : undefined;
        const value = former ?? setting.parse(text);
        if (value === undefined)
            faults.push(`${name}: ${setting.refuse?.(text) ?? `given ${givenText(setting, text)}; wanted ${setting.wanted}, for example ${name}=${setting.example}.`}`);
        parsed[name] =
            value === undefined && setting.default !== undefined ? setting.parse(setting.default) : value;
    }
    const values = parsed;
    const path = (dir) => resolve(cwd, dir);
    const programDirs = { config: resolve(programDir, 'config'), templates: resolve(programDir, 'templates') };
    const dirs = {
        config: path(values.CONFIG_DIR ?? 'config'),
        data: path(values.DATA_DIR ?? 'data'),
        templates: path(values.TEMPLATES_DIR ?? 'templates'),
    };
    const file = readSettingsFile({ own: programDirs.config, given: dirs.config }, faults);
    for (const [name, value] of Object.entries(file.values))
        shown.push({ name, value: JSON.stringify(value), from: file.from[name] ?? 'default' });
    faults.push(...pairFaults((name) => given[name] !== undefined));
    // Shown with the faults: a setting that seems to be missing is often misspelt.
    const misspelt = [...warnings, ...file.warnings];
    if (faults.length > 0 && !tolerant)
        throwFaults([...faults, ...misspelt.map((warning) => `warning: ${warning}`)]);
    const store = values.STORE_URL ?? `sqlite://${resolve(dirs.data, 'jobcrier.sqlite')}`;
    const { files, mail } = fromFile(file.values);
    const missing = missingFolders({
        CONFIG_DIR: given.CONFIG_DIR && dirs.config,
        TEMPLATES_DIR: given.TEMPLATES_DIR && dirs.templates,
        'mail.bounceMaildir': mail.bounceMaildir === '' ? undefined : path(mail.bounceMaildir),
    }, { CONFIG_DIR: ', or none for "config"', TEMPLATES_DIR: ', or none for "templates"' });
    return frozen({
        jobsApi: {
            ...optional({ url: values.JOBS_API_URL, token: values.JOBS_API_TOKEN }),
            spacingMs: values.API_SPACING_MS,
            ...files.jobsApi,
        },
        sourceName: values.SOURCE_NAME ?? (values.JOBS_API_URL ? new URL(values.JOBS_API_URL).hostname : 'the jobs API'),
        store: { url: absoluteSqlite(store, cwd) },
        discord: optional({
            token: values.DISCORD_TOKEN,
            apiUrl: values.DISCORD_API_URL,
            guildId: values.DISCORD_GUILD_ID,
        }),
        ...optional({
            queueUrl: values.QUEUE_URL,
            secretKey: values.SECRET_KEY,
            mail: mailOf(values, mail.bounceMaildir === '' ? undefined : path(mail.bounceMaildir)),
            publicUrl: values.PUBLIC_URL,
            adminToken: values.ADMIN_TOKEN,
            bounceSecret: values.BOUNCE_SECRET,
        }),
        http: { host: values.HTTP_HOST, port: values.HTTP_PORT },
        trustedProxies: values.TRUSTED_PROXIES ?? [],
        minPollSeconds: values.MIN_POLL_SECONDS,
        liveSchedule: values.LIVE_SCHEDULE,
        dirs,
        programDirs,
        webhook: {
            ...optional({ secret: values.WEBHOOK_SECRET }),
            allowPrivate: values.WEBHOOK_ALLOW_PRIVATE,
        },
        sinks: values.SINKS ?? [],
        backupKeep: values.BACKUP_KEEP,
        logLevel: values.LOG_LEVEL,
        limits: files.limits,
        role,
        warnings: [...misspelt, ...missing, ...risks(values)],
        misspelt,
        missingFolders: missing,
        shown,
        faults,
    });
}
/** The given text as a fault shows it, shortened: it may be a secret that was put into the wrong setting. */
function givenText({ secret, address }, text) {
    if (secret)
        return '[secret]';
    const [scheme] = (address && /^[a-z]{2,12}:\/\//u.exec(text)) || [];
    return scheme ? `an address that begins with ${scheme}` : brief(text);
}
function fromFile(values) {
    const nested = {};
    for (const [name, value] of Object.entries(values)) {
        const [group, key] = name.split('.');
        nested[group] = { ...nested[group], [key]: value };
    }
    const files = nested;
    return { files, mail: nested.mail };
}
/** Makes a SQLite path absolute, relative to `cwd` like every other path; other addresses stay as they are. */
function absoluteSqlite(url, cwd) {
    const path = /^sqlite:\/\/(.+)$/u.exec(url)?.[1];
    if (path === undefined || isAbsolute(path))
        return url;
    return `sqlite://${resolve(cwd, path)}`;
}
function mailOf(values, bounceMaildir) {
    const { SMTP_URL, MAIL_FROM, DKIM_DOMAIN, DKIM_SELECTOR, DKIM_KEY } = values;
    if (!SMTP_URL || !MAIL_FROM)
        return undefined;
    const dkim = DKIM_DOMAIN && DKIM_SELECTOR && DKIM_KEY
        ? { domain: DKIM_DOMAIN, selector: DKIM_SELECTOR, key: DKIM_KEY }
        : undefined;
    return { smtpUrl: SMTP_URL, from: MAIL_FROM, ...optional({ dkim, bounceMaildir }) };
}
function optional(fields) {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
function frozen(value) {
    for (const inner of Object.values(value))
        if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner))
            frozen(inner);
    return Object.freeze(value);
}
/** One sentence for each setting that the command needs and that is not given. */
export function requirements(config, command) {
    const faults = [];
    if (!config.jobsApi.url)
        faults.push(`JOBS_API_URL: not given, and ${command} needs it; wanted the base address of the jobs API, for example JOBS_API_URL=https://jobs.example.org.`);
    return command === 'run' ? [...faults, ...sharingFaults(config)] : faults;
}
/** One sentence for each setting that processes sharing the work need and that is missing or unsuitable. */
export function sharingFaults({ role, queueUrl, secretKey, store }) {
    if (role === 'all' && !queueUrl)
        return [];
    const why = role === 'all' ? 'with QUEUE_URL' : `with --role ${role}`;
    const faults = [];
    if (!queueUrl)
        faults.push(`QUEUE_URL: not given, and --role ${role} needs it; wanted the address of Redis or Valkey, for example QUEUE_URL=redis://127.0.0.1:6379.`);
    if (!secretKey)
        faults.push(`SECRET_KEY: not given, and ${why} every process needs the same one; wanted the output of: openssl rand -base64 32`);
    if (store.url.startsWith('sqlite:'))
        faults.push(`STORE_URL: is a SQLite file, and ${why} several processes use the store; wanted PostgreSQL, for example STORE_URL=postgres://jobcrier:password@127.0.0.1/jobcrier. "jobcrier store copy" moves what is stored.`);
    return faults;
}
//# sourceMappingURL=config.js.map