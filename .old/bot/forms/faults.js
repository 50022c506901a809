// People are told everything that is wrong at once, not one thing per try.
import { UserError } from '../../domain/errors.js';
/** A fault in what was typed. `fields`: names of the options it is about, so that they can be asked for again. */
export class FormError extends UserError {
    fields;
    constructor(message, fields) {
        super(message);
        this.fields = fields;
    }
}
export function createFaults() {
    const list = [];
    const fields = new Set();
    function take(error) {
        if (!(error instanceof UserError))
            throw error;
        list.push(...error.message.split('\n'));
        if (error instanceof FormError)
            for (const field of error.fields)
                fields.add(field);
    }
    return {
        add: take,
        collect(read) {
            try {
                return read();
            }
            catch (error) {
                return take(error);
            }
        },
        collectFrom: (reading) => reading.catch(take),
        settle() {
            if (list.length > 0)
                throw new FormError([...new Set(list)].join('\n'), [...fields]);
        },
    };
}
// A fault a person can do something about, in that person's language.
/** What the services refuse by name is said in the reader's language; our own faults are in it already. */
export function faultWords({ fault, message }, texts) {
    if (!fault)
        return message;
    const words = texts.bot.fault[fault.name];
    return typeof words === 'string' ? words : words(fault.count ?? 0);
}
//# sourceMappingURL=faults.js.map