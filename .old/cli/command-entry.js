// The type that declares a command, and the code that adds a declared command to the parser.
import { InvalidArgumentError, Option } from 'commander';
/** Returns a parser for a whole number from `min` to `max`; it throws an InvalidArgumentError for any other text. */
export function wholeOption(min, max) {
    return (text) => {
        const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
        if (value >= min && value <= max)
            return value;
        throw new InvalidArgumentError(`Wanted a whole number from ${min} to ${max}.`);
    };
}
/** Splits the comma list of an option; empty items are left out. */
export function listOption(text) {
    return text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean);
}
function help(entry) {
    const examples = entry.examples.map(([line, what]) => `  jobcrier ${line}\n      ${what}`);
    const exits = entry.exits ?? '0 done, 1 failed, 2 wrong usage or settings';
    return ['', 'Examples:', ...examples, '', `Exit codes: ${exits}.`].join('\n');
}
/** Adds `entry` below `parent`. `run` is called with the entry and the options of the command line. */
export function addCommand(parent, entry, run) {
    const command = parent.command(entry.name.split(' ').at(-1)).summary(entry.says);
    command.description([entry.says, entry.detail].filter(Boolean).join('\n\n'));
    for (const [name, says] of entry.takes ?? [])
        command.argument(name, says);
    const required = [];
    for (const { flags, says, required: isRequired, read, choices, default: value } of entry.options ?? []) {
        const option = new Option(flags, says);
        if (isRequired)
            required.push(option);
        if (choices)
            option.choices(choices);
        if (read)
            option.argParser(read);
        if (value !== undefined)
            option.default(value);
        command.addOption(option);
    }
    if (entry.json)
        command.option('--json', 'JSON instead of text');
    command.addHelpText('after', help(entry));
    command.action(async () => {
        // Replaces commander's own check, which reports only the first missing option.
        const missing = required.filter((option) => command.getOptionValue(option.attributeName()) === undefined);
        if (missing.length > 0)
            command.error(missing.map(({ flags }) => `error: required option '${flags}' not specified`).join('\n'));
        const names = (entry.takes ?? []).map(([name]) => name.replace(/[<>[\]]/gu, ''));
        const given = names.map((name, index) => [name, command.processedArgs[index]]);
        await run(entry, { ...command.opts(), ...Object.fromEntries(given) });
    });
}
//# sourceMappingURL=command-entry.js.map