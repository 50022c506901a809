// The commands for the operator: settings, mail templates, keys, copies, health and doctor.
import type { CommandEntry, OptionEntry } from './command-entry.js';

const LOCALE: OptionEntry = {
  flags: '--locale <locale>',
  says: 'language, such as en, de or es',
  default: 'en',
};

const MAIL: readonly CommandEntry[] = [
  {
    name: 'mail preview',
    says: 'Renders each kind of mail to files and prints their names.',
    options: [
      { flags: '--kind <kind>', says: 'only this kind: digest, alert, quiet, confirm, notice or reminder' },
      {
        flags: '--subscription <id>',
        says: 'shows what this subscription would be sent now, instead of sample postings',
      },
      LOCALE,
      { flags: '--out <dir>', says: 'folder for the .eml, .html and .txt files', default: 'mail-preview' },
    ],
    json: true,
    examples: [['mail preview --out out', 'every kind with sample postings']],
    load: async () => (await import('./mail.js')).mailPreviewCommand,
  },
  {
    name: 'mail lint',
    says: 'Checks the mail templates in TEMPLATES_DIR.',
    json: true,
    examples: [['mail lint', 'before your changes go live']],
    exits: '0 valid, 1 a template has an error, 2 wrong usage or settings',
    load: async () => (await import('./mail.js')).mailLintCommand,
  },
  {
    name: 'mail send-test',
    says: 'Sends one sample mail to an address over SMTP_URL.',
    takes: [['<address>', 'the address to send it to']],
    options: [
      {
        flags: '--kind <kind>',
        says: 'digest, alert, quiet, confirm, notice or reminder',
        default: 'digest',
      },
      LOCALE,
    ],
    json: true,
    examples: [['mail send-test me@example.org', 'a digest of sample postings']],
    load: async () => (await import('./mail.js')).mailSendTestCommand,
  },
  {
    name: 'mail allow',
    says: 'Allows mail again to an address that bounced or complained.',
    takes: [['<address>', 'the address']],
    json: true,
    examples: [['mail allow me@example.org', 'the mailbox was full and has room again']],
    load: async () => (await import('./mail-allow.js')).mailAllowCommand,
  },
];

export const UPKEEP_COMMANDS: readonly CommandEntry[] = [
  ...MAIL,
  {
    name: 'config check',
    says: 'Checks all settings, folders, sinks and config/subscriptions.yaml, and reports all errors together.',
    json: true,
    examples: [['config check', 'before you start the service']],
    exits: '0 valid, 2 a setting has an error',
    load: async () => (await import('./config.js')).configCheckCommand,
  },
  {
    name: 'config dump',
    says: 'Prints every setting, where it comes from, and secrets as [secret].',
    json: true,
    examples: [
      ['config dump', 'a table'],
      ['config dump --json', 'for programs'],
    ],
    load: async () => (await import('./config.js')).configDumpCommand,
  },
  {
    name: 'keys rotate',
    says: 'Encrypts every stored secret again with the first key of SECRET_KEY.',
    detail:
      'You can interrupt it and run it again. When it is done, you can remove the other keys from the list.',
    options: [
      {
        flags: '--lost <key>',
        says: 'id of a key that is lost, as the error at the start shows it; what it encrypted is given up',
      },
    ],
    json: true,
    examples: [['keys rotate', 'with SECRET_KEY=new,old']],
    load: async () => (await import('./keys.js')).keysRotateCommand,
  },
  {
    name: 'backup',
    says: 'Copies the store to a file, also while the service runs.',
    takes: [['<file>', 'path of the copy; an existing file is replaced']],
    json: true,
    examples: [['backup /srv/backups/jobcrier.sqlite', 'checked after it is written']],
    load: async () => (await import('./backup.js')).backupCommand,
  },
  {
    name: 'restore',
    says: 'Replaces the store with a copy made by backup.',
    detail:
      'Fails while the service runs, and with a copy made by a newer version. The former store is kept under another name.',
    takes: [['<file>', 'the copy']],
    json: true,
    examples: [['restore /srv/backups/jobcrier.sqlite', 'after stopping the service']],
    load: async () => (await import('./backup.js')).restoreCommand,
  },
  {
    name: 'store copy',
    says: 'Copies the store to another database, row by row, and compares both.',
    detail:
      'From SQLite to PostgreSQL or back, and from a Redis store of version 0.1. Stop the service first. The other database must be empty. If a copy is interrupted, run the command again to continue it. The store of STORE_URL is not changed; set STORE_URL to the new one afterwards. You can keep a password off the command line: PGPASSWORD and ~/.pgpass work too.',
    options: [{ flags: '--to <url>', says: 'the other store, in the form of STORE_URL', required: true }],
    json: true,
    examples: [
      ['store copy --to postgres://jobcrier@db.example/jobcrier', 'from SQLite to PostgreSQL'],
      ['store copy --to sqlite:///srv/jobcrier/store.sqlite', 'from PostgreSQL to SQLite'],
    ],
    load: async () => (await import('./store-copy.js')).storeCopyCommand,
  },
  {
    name: 'health',
    says: 'Asks the running service whether it is alive. The container image uses it as its health check.',
    options: [{ flags: '--ready', says: 'also asks whether the store and the scheduler work' }],
    json: true,
    examples: [
      ['health', 'alive?'],
      ['health --ready', 'ready to work?'],
    ],
    exits: '0 alive (or ready), 1 not, 2 wrong usage or settings',
    load: async () => (await import('./health.js')).healthCommand,
  },
  {
    name: 'doctor',
    says: 'Checks settings, machine, store, jobs API, Discord, mail and web pages, and lists each problem and its fix.',
    options: [{ flags: '--report <file>', says: 'writes the findings without secrets, for a bug report' }],
    json: true,
    examples: [
      ['doctor', 'when something does not arrive'],
      ['doctor --report report.json', 'to attach to a bug report'],
    ],
    exits: '0 no check fails, 1 a check fails, 2 wrong usage',
    load: async () => (await import('./doctor/doctor.js')).doctorCommand,
  },
];
