// Discord's ids. A number can't hold one exactly, so they are always text.

/** Returns the value if it is an id: 17 to 20 digits (Discord, "Snowflakes": 64 bits, from 2015 on). */
export function discordId(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{17,20}$/u.test(value) ? value : undefined;
}

/** Replaces every id in a text. */
export function withoutDiscordIds(text: string, by: string): string {
  return text.replace(/\d{17,20}/gu, by);
}

/** The user id in the name of a Discord user's account, `discord:<id>`; undefined for other accounts. */
export function discordUser(account: string): string | undefined {
  return account.startsWith('discord:') ? discordId(account.slice('discord:'.length)) : undefined;
}
