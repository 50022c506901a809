#!/usr/bin/env node
// Checks the Node version first, because an older Node can't even load the rest of the program. Until then this file
// imports nothing, and it uses only syntax that an old Node understands.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19))
    void import('./program.js');
else {
    console.error(`jobcrier needs Node.js 20.19 or later and this is ${process.version}: install a newer one.`);
    process.exitCode = 2;
}
export {};
//# sourceMappingURL=main.js.map