// The commands of the program as data: name, options, examples, and the file that runs them. A file is loaded when its
// command runs, so that --help answers immediately. See commands-upkeep.ts for the operator's commands.
import { TAGS } from '../domain/tags.js';
import type { CommandEntry, OptionEntry } from './command-entry.js';

const SUBSCRIPTION: OptionEntry = {
  flags: '--subscription <id>',
  says: 'id of the subscription',
  required: true,
};
const ACCOUNT: OptionEntry = { flags: '--account <id>', says: 'id of the account', required: true };

const SERVICE: readonly CommandEntry[] = [
  {
    name: 'run',
    says: 'The service: polls, deliveries, Discord bot and web pages.',
    detail: 'Ends after SIGTERM or Ctrl-C when running work is done; a second signal ends it immediately.',
    options: [
      {
        flags: '--role <role>',
        says: 'which part runs here: control runs the bot, the pages and upkeep, worker polls and delivers; both need QUEUE_URL',
        choices: ['all', 'control', 'worker'],
        default: 'all',
      },
      {
        flags: '--stay',
        says: 'with wrong settings, waits to be stopped instead of exiting with 2; for containers that always restart',
      },
    ],
    examples: [['run', 'with the settings of the environment and .env']],
    graceful: true,
    load: async () => (await import('./run.js')).runCommand,
  },
  {
    name: 'init',
    says: 'Asks the few questions of a first set-up in a terminal, and writes .env and config/subscriptions.yaml.',
    detail:
      'Tests the API token and shows what matches now. What you type as a token is not shown. An existing .env is replaced only if you say so, and is kept under another name. An existing subscriptions file stays as it is.',
    examples: [['init', 'and answer']],
    load: async () => (await import('./init.js')).initCommand,
  },
  {
    name: 'demo',
    says: 'Shows everything without any settings: sample jobs, new postings on the console, a digest within a minute.',
    detail:
      'Uses only this machine, and leaves only the folder demo in DATA_DIR (data/demo). Ctrl-C ends it.',
    examples: [['demo', 'and wait a minute']],
    graceful: true,
    load: async () => (await import('./demo.js')).demoCommand,
  },
  {
    name: 'board',
    says: 'Serves the jobs listing API from a file of jobs.',
    detail: 'Both files are read again when they change.',
    options: [
      { flags: '--jobs <file>', says: 'JSON list of jobs', required: true },
      { flags: '--tokens <file>', says: 'JSON list of tokens with their permissions', required: true },
      { flags: '--host <host>', says: 'address to listen on', default: '127.0.0.1' },
      {
        flags: '--port <number>',
        says: 'port to listen on; 0 takes a free one',
        default: '0',
      },
    ],
    json: true,
    examples: [['board --jobs config/sample-jobs.json --tokens tokens.json --port 4000', 'on a fixed port']],
    graceful: true,
    load: async () => (await import('./serve-board.js')).serveBoardCommand,
  },
  {
    name: 'poll',
    says: 'One cycle now: asks the jobs API, delivers what is due, ends.',
    detail: 'Fails while the service runs on the same store.',
    options: [
      { flags: '--subscription <id>', says: 'only this subscription' },
      { flags: '--dry-run', says: 'shows what would be delivered; sends and records nothing' },
    ],
    json: true,
    examples: [
      ['poll', 'every subscription'],
      ['poll --subscription rust-remote --dry-run', 'what would be sent now'],
    ],
    graceful: true,
    load: async () => (await import('./poll.js')).pollCommand,
  },
  {
    name: 'digest',
    says: 'Renders the digest of a subscription as it would be sent now; sends nothing.',
    options: [SUBSCRIPTION, { flags: '--out <dir>', says: 'folder for the .eml, .html and .txt files' }],
    json: true,
    examples: [['digest --subscription rust-remote --out out', 'files to open in a mail program']],
    load: async () => (await import('./digest.js')).digestCommand,
  },
];

const FILTER_OPTIONS: readonly OptionEntry[] = [
  {
    flags: '--want <sentence>',
    says: 'the rule as one sentence, such as "senior rust, remote in Europe, at least 90k EUR"; see "One sentence" in docs/subscriptions.md',
  },
  { flags: '--tags <list>', says: 'comma list of tags, one of which must match' },
  { flags: '--country <name>', says: 'country, as name, code or slug' },
  { flags: '--remote', says: 'remote positions only' },
  { flags: '--include <list>', says: 'comma list of words, one of which must appear' },
  { flags: '--exclude <list>', says: 'comma list of words, none of which may appear' },
  {
    flags: '--min-salary <amount>',
    says: 'lowest yearly pay in dollars, a whole number; see "Pay" in docs/subscriptions.md',
  },
  {
    flags: '--pay-unknown <what>',
    says: 'with --min-salary: keep or drop postings whose pay cannot be compared with dollars; keep when left out',
  },
  {
    flags: '--term <term...>',
    says: 'further terms, such as "level: senior, staff", "not company: Acme" or "rather region: EU"; see "Terms" in docs/subscriptions.md',
  },
  { flags: '--limit <number>', says: 'postings per request, 1 to 100; 100 when left out' },
];

const ONE_SUBSCRIPTION: CommandEntry['takes'] = [['<id>', 'id of the subscription']];

const SUBSCRIPTIONS: readonly CommandEntry[] = [
  {
    name: 'subscriptions list',
    says: 'All subscriptions with their state.',
    json: true,
    examples: [
      ['subscriptions list', 'a table'],
      ['subscriptions list --json', 'for programs'],
    ],
    load: async () => (await import('./subscriptions/list.js')).listCommand,
  },
  {
    name: 'subscriptions add',
    says: 'Adds a subscription. A running service sees it within seconds.',
    detail: [
      '--to names a destination as sink:target (console needs no target) and can be given several times; --cadence applies to all of them.',
      `Tags: ${TAGS.join(', ')}.`,
    ].join('\n\n'),
    options: [
      { flags: '--id <id>', says: 'its id: letters, digits, dots, dashes, underscores', required: true },
      { flags: '--account <id>', says: 'account whose token is used', default: 'operator' },
      ...FILTER_OPTIONS,
      { flags: '--schedule <cron>', says: 'when it is polled; LIVE_SCHEDULE when left out' },
      { flags: '--timezone <zone>', says: 'zone of schedule and cadence', default: 'UTC' },
      {
        flags: '--to <sink:target...>',
        says: 'where it goes, such as console, discord:<channel id> or email:me@example.org',
        required: true,
      },
      {
        flags: '--cadence <cadence>',
        says: 'immediate, hourly, daily@HH:MM or weekly:monday@HH:MM',
        default: 'immediate',
      },
      {
        flags: '--consented',
        says: 'the reader of the e-mail destination has agreed already; sends no confirm mail',
      },
    ],
    json: true,
    examples: [
      ['subscriptions add --id rust --tags rust --remote --to console', 'shown on the console'],
      [
        'subscriptions add --id wish --want "senior rust, remote in Europe, no gambling" --to console',
        'the rule in one sentence',
      ],
      [
        'subscriptions add --id weekly --tags defi --to email:me@example.org --cadence weekly:monday@09:00',
        'a digest on Mondays',
      ],
    ],
    load: async () => (await import('./subscriptions/add.js')).addCommand,
  },
  {
    name: 'subscriptions preview',
    says: 'Shows how a rule is understood, and what it would have found among the postings that are kept.',
    detail: 'Makes no request to the jobs API and stores nothing.',
    options: [
      { flags: '--account <id>', says: 'account whose kept postings are counted', default: 'operator' },
      ...FILTER_OPTIONS,
    ],
    json: true,
    examples: [
      ['subscriptions preview --want "senior rust, remote in Europe, no gambling"', 'word by word'],
      ['subscriptions preview --tags rust --min-salary 90000 --pay-unknown drop', 'what each rule removes'],
    ],
    load: async () => (await import('./subscriptions/preview.js')).previewCommand,
  },
  {
    name: 'subscriptions remove',
    says: 'Removes a subscription and everything recorded for it.',
    takes: ONE_SUBSCRIPTION,
    examples: [['subscriptions remove rust', 'for good']],
    load: async () => (await import('./subscriptions/change.js')).removeCommand,
  },
  {
    name: 'subscriptions pause',
    says: 'Stops polling and delivering for a subscription.',
    takes: ONE_SUBSCRIPTION,
    examples: [['subscriptions pause rust', 'until it is resumed']],
    load: async () => (await import('./subscriptions/change.js')).pauseCommand,
  },
  {
    name: 'subscriptions resume',
    says: 'Ends a pause and frees parked destinations. Postings that appeared during the pause are not sent.',
    takes: ONE_SUBSCRIPTION,
    examples: [['subscriptions resume rust', 'polled from now on']],
    load: async () => (await import('./subscriptions/change.js')).resumeCommand,
  },
  {
    name: 'subscriptions reconcile',
    says: 'Applies config/subscriptions.yaml now, and lists what was added, changed, removed and kept.',
    detail:
      'Works with or without a running service. A missing or empty file removes nothing; only [] is an empty list. You can put back what was removed within 7 days.',
    options: [
      {
        flags: '--allow-removal',
        says: 'also removes more than five and more than a third of them at once',
      },
    ],
    json: true,
    examples: [
      ['subscriptions reconcile', 'after you changed the file'],
      ['subscriptions reconcile --allow-removal', 'after you removed most of its entries on purpose'],
    ],
    exits:
      '0 done, 1 the file is missing, empty or would remove too many, 2 wrong usage or an error in the file',
    load: async () => (await import('./subscriptions/reconcile.js')).reconcileCommand,
  },
  {
    name: 'subscriptions export',
    says: 'Writes subscriptions in the form of config/subscriptions.yaml.',
    options: [{ flags: '--account <id>', says: 'only those of this account' }],
    json: true,
    examples: [['subscriptions export > all.yaml', 'to back up or to move']],
    load: async () => (await import('./subscriptions/export.js')).exportCommand,
  },
  {
    name: 'subscriptions import',
    says: 'Adds or replaces subscriptions from a file in that form, or from standard input.',
    detail: 'All entries are checked first; if one has an error, nothing is written.',
    takes: [['[file]', 'YAML or JSON; standard input when left out or "-"']],
    json: true,
    examples: [
      ['subscriptions import all.yaml', 'from a file'],
      ['subscriptions import < all.yaml', 'from standard input'],
    ],
    load: async () => (await import('./subscriptions/import.js')).importCommand,
  },
];

const ACCOUNTS: readonly CommandEntry[] = [
  {
    name: 'token set',
    says: "Stores an account's API token, read from standard input or a hidden prompt.",
    detail: 'The token is tried once when JOBS_API_URL is set.',
    options: [ACCOUNT, { flags: '--no-check', says: 'stores it without testing it' }],
    examples: [
      ['token set --account operator', 'prompts for it'],
      ['token set --account operator < token.txt', 'from a file'],
    ],
    load: async () => (await import('./token.js')).setCommand,
  },
  {
    name: 'token status',
    says: 'Whether an account has a token, its last four characters, and whether it was rejected.',
    options: [ACCOUNT],
    json: true,
    examples: [['token status --account operator', 'never more than four characters']],
    load: async () => (await import('./token.js')).statusCommand,
  },
  {
    name: 'token remove',
    says: "Deletes an account's token; its subscriptions wait for a new one.",
    options: [ACCOUNT],
    examples: [['token remove --account operator', 'immediately']],
    load: async () => (await import('./token.js')).removeTokenCommand,
  },
  {
    name: 'why',
    says: 'Explains whether and why a posting was or was not delivered.',
    options: [SUBSCRIPTION, { flags: '--posting <key>', says: 'posting key, id or link', required: true }],
    json: true,
    examples: [
      ['why --subscription rust --posting 123456', 'by id'],
      ['why --subscription rust --posting "https://jobs.example.org/r/…"', 'by link'],
    ],
    load: async () => (await import('./why.js')).whyCommand,
  },
  {
    name: 'mcp',
    says: 'An MCP server on standard input and output, for AI assistants that start programs. Reads unless --write is given.',
    detail:
      'Works beside a running service, which does the polls and deliveries. Logs go to standard error. See docs/agents.md.',
    options: [ACCOUNT, { flags: '--write', says: 'may also add and pause subscriptions and mark postings' }],
    examples: [['mcp --account operator', 'in the configuration of the assistant']],
    graceful: true,
    load: async () => (await import('./mcp.js')).mcpCommand,
  },
];

export const MAIN_COMMANDS: readonly CommandEntry[] = [...SERVICE, ...SUBSCRIPTIONS, ...ACCOUNTS];
