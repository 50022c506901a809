/** Not behind a backslash: that one stands in a stranger's words. */
const MARKED = /(?<!\\)\{\/([a-z ]+)\}/gu;
/** "/empleos lista" for "jobs list". */
function named(path, texts) {
    const names = texts.bot.commands.names;
    const levels = path.split(' ').map((_word, index, all) => all.slice(0, index + 1).join(' '));
    return `/${levels.map((key) => names[key] ?? key).join(' ')}`;
}
/** For places that know no mentions: mails, pages, logs. */
export function plainCommands(text, texts) {
    return text.replace(MARKED, (_, path) => named(path, texts));
}
/** For Discord. Before its ids are known, a command stands as code. */
export function withCommands(text, ids, texts) {
    return text.replace(MARKED, (_, path) => {
        const id = ids[path.split(' ')[0] ?? ''];
        return id ? `</${path}:${id}>` : `\`${named(path, texts)}\``;
    });
}
//# sourceMappingURL=commands.js.map