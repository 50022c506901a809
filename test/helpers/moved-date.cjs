// A Date whose present is moved away from the machine's, as a program sees it when the clock is set. It is a CommonJS
// module, so that a child process can be started with it (see moved-clock.ts).
const { readFileSync } = require('node:fs');

const RealDate = Date;

/** Replaces the global Date by one that is `offset()` milliseconds ahead; returns the function that reverts it. */
function install(offset) {
  globalThis.Date = class MovedDate extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(RealDate.now() + offset());
      else super(...given);
    }
    static now() {
      return RealDate.now() + offset();
    }
  };
  return () => {
    globalThis.Date = RealDate;
  };
}

/** The number in a file, read again every few milliseconds of the real clock. */
function fromFile(file) {
  let value = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAt > 10) {
      readAt = performance.now();
      value = Number(readFileSync(file, 'utf8'));
    }
    return value;
  };
}

module.exports = { install };

if (process.env.MOVED_CLOCK) install(fromFile(process.env.MOVED_CLOCK));
