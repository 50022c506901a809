// The state of the bot's own buttons is in their custom_id, so that they work after a restart. Who may press is part
// of it: `<action>:<arg>…@<user id>`. A forged id gains nothing, the service asks for the right again.

/** At most 100 characters, Discord's limit, as long as the arguments stay under 70. */
export function customId(action: string, args: readonly string[], owner: string): string {
  return `${[action, ...args].join(':')}@${owner}`;
}

export interface ParsedId {
  readonly action: string;
  readonly args: readonly string[];
  readonly owner?: string;
}

/** Reads any custom_id; one without an owner belongs to whoever presses. */
export function parseCustomId(id: string): ParsedId {
  const [, body = id, owner] = /^(.*)@(\d{17,20})$/su.exec(id) ?? [];
  const [action = '', ...args] = body.split(':');
  return { action, args, ...(owner ? { owner } : {}) };
}
