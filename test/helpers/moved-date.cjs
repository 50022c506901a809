// A Date whose now can be set off from the machine's: what a program sees when somebody sets the clock. Given as a
// module of Node's own kind, so that a child process can be started with it (see moved-clock.ts).
const { readFileSync } = require('node:fs');

const RealDate = Date;

/** Replaces the global Date by one that is `offset()` milliseconds ahead; gives back what undoes it. */
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

/** The number in a file, looked at again every few milliseconds by a clock that stays as it is. */
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
