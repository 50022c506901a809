// What an install without development dependencies leaves out; see trim.mjs.

const UNREAD = /\.(?:d\.[cm]?ts|map|md|markdown)$/iu;
const LICENCE = /^(?:licen[cs]e|notice|copying)/iu;

/** Whether a file of a package, given by its name without folders, is not read while the program runs. */
export const isUnread = (name) => UNREAD.test(name) && !LICENCE.test(name);
