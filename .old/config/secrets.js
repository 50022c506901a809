/** Least length of a secret: shorter ones would also match ordinary words. */
const SHORTEST = 8;
/** The password of an address, as it is written there and decoded as the relay gets it. */
function passwordsIn(address) {
    if (!address || !URL.canParse(address.reveal()))
        return [];
    const { password } = new URL(address.reveal());
    try {
        return [password, decodeURIComponent(password)];
    }
    catch {
        return [password];
    }
}
/** Returns the secrets, longest first, so that no part of one remains when it contains another. */
export function secretsOf(config) {
    const { jobsApi, secretKey, discord, mail, adminToken, webhook, bounceSecret } = config;
    const whole = [
        jobsApi.token,
        discord.token,
        mail?.smtpUrl,
        mail?.dkim?.key,
        adminToken,
        webhook.secret,
        bounceSecret,
    ].flatMap((one) => (one ? [one.reveal()] : []));
    const parts = [
        ...(secretKey?.reveal().split(',') ?? []),
        ...(mail?.dkim?.key.reveal().split('\n') ?? []).filter((line) => !line.startsWith('-----')),
        ...(webhook.secret ? [webhook.secret.reveal().replace(/^whsec_/u, '')] : []),
        ...passwordsIn(mail?.smtpUrl),
    ];
    return [...new Set([...whole, ...parts])]
        .filter((one) => one.length >= SHORTEST)
        .sort((a, b) => b.length - a.length);
}
//# sourceMappingURL=secrets.js.map