// Writes a mail as files that you can open in a mail program, a browser or an editor.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileFaults } from '../domain/file-fault.js';
import { toEml } from '../sinks/email/message.js';
/** The HTML part for a browser, which has no attachments: pictures are put into the page itself. */
function standalone({ html, attachments }) {
    return attachments.reduce((page, { cid, contentType, content }) => page.replaceAll(`"cid:${cid}"`, `"data:${contentType};base64,${content.toString('base64')}"`), html);
}
/** Writes `name`.eml, .html and .txt into the folder, which is made when missing, and returns their paths. */
export async function writeMail(mail, dir, name) {
    await withFileFaults('write', dir, () => mkdir(dir, { recursive: true }));
    const parts = [
        ['eml', await toEml(mail)],
        ['html', standalone(mail)],
        ['txt', mail.text],
    ];
    return Promise.all(parts.map(async ([ending, content]) => {
        const file = join(dir, `${name}.${ending}`);
        await withFileFaults('write', file, () => writeFile(file, content));
        return file;
    }));
}
//# sourceMappingURL=mail-files.js.map