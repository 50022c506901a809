// Runs the command of a command line and returns an exit code: 0 done, 1 failed, 2 wrong usage or settings.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { reasonOf, StoreError, UserError } from '../domain/errors.js';
import { addCommand } from './command-entry.js';
import { MAIN_COMMANDS } from './commands.js';
import { UPKEEP_COMMANDS } from './commands-upkeep.js';
const programDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { version } = JSON.parse(readFileSync(join(programDir, 'package.json'), 'utf8'));
const GROUPS = {
    subscriptions: 'What is watched and where it goes.',
    token: 'API tokens of accounts.',
    mail: 'Looks at the mails before anyone gets them.',
    config: 'The settings as the program reads them.',
    keys: 'The keys that encrypt stored secrets.',
    store: 'The database that everything is kept in.',
};
export function createCommandLine({ stopSignal, ...surroundings }) {
    const { io } = surroundings;
    let context;
    const failed = (error) => tell(error, io, context);
    async function run(args) {
        let code = 0;
        const parser = buildParser(io, async (entry, options) => {
            const signal = entry.graceful ? stopSignal() : new AbortController().signal;
            // Loads settings and the log only with a command: --help and --version need neither.
            const { createContext } = await import('./context.js');
            context = await createContext({ ...surroundings, programDir, version, signal });
            const command = await entry.load();
            code = (await command(options, context)) ?? 0;
        });
        try {
            await parser.parseAsync(args, { from: 'user' });
            return code;
        }
        catch (error) {
            return failed(error);
        }
    }
    return { run, failed };
}
function buildParser({ stdout, stderr }, run) {
    const program = new Command('jobcrier')
        .description('Watches a jobs API and tells people what is new, in Discord, by mail and by webhook.')
        .version(version)
        .exitOverride()
        .configureOutput({
        writeOut: (text) => void stdout.write(text),
        writeErr: (text) => void stderr.write(text),
    })
        .showHelpAfterError('Add --help to see what is possible.')
        .addHelpText('after', '\nSettings come from the environment and .env; see: jobcrier config dump');
    const groups = new Map();
    for (const entry of [...MAIN_COMMANDS, ...UPKEEP_COMMANDS]) {
        const group = entry.name.includes(' ') ? entry.name.split(' ')[0] : undefined;
        if (group && !groups.has(group))
            groups.set(group, program.command(group).description(GROUPS[group]));
        addCommand(group ? groups.get(group) : program, entry, run);
    }
    return program;
}
/** Prints the message of an error meant for people. Any other error is a bug, and its stack is logged. */
function tell(error, io, context) {
    if (error instanceof CommanderError)
        return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UserError || error instanceof StoreError) {
        io.say(error.message);
        return error instanceof UserError ? error.exitCode : 1;
    }
    io.say(`unexpected failure: ${error instanceof Error ? error.name : 'error'}; the log line below says where.`);
    const stack = error instanceof Error ? (error.stack ?? reasonOf(error)) : reasonOf(error);
    if (context)
        context.log('stderr', 'error').error({ stack }, 'unexpected failure');
    else
        io.say(stack);
    return 1;
}
//# sourceMappingURL=command-line.js.map