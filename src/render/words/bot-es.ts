// Spanish answers of the bot.
import type { BotTexts } from './bot-en.js';
import { commandsEs } from './commands-es.js';
import { faultsEs } from './faults-es.js';

export const botEs: BotTexts = {
  commands: commandsEs,
  ...faultsEs,
  where: {
    channel: (channel) => `en ${channel}`,
    dm: 'por mensaje directo',
    email: 'por correo',
    other: (sink) => `por ${sink}`,
    mention: (role) => `mencionando a ${role}`,
  },
  buttons: {
    preview: 'Vista previa',
    edit: 'Editar',
    pause: 'Pausar',
    resume: 'Reanudar',
    remove: 'Quitar',
    move: 'Otro lugar',
    list: 'Mis suscripciones',
    correct: 'Corregir',
    withoutMention: 'Sin la mención',
    undo: 'Deshacer',
    history: 'Historial',
    back: 'Volver',
    previous: 'Anterior',
    next: 'Siguiente',
    goOn: 'Continuar',
    setToken: 'Guardar token',
    typeZone: 'Escribir otra zona horaria',
    what: 'Qué: etiquetas, palabras, salario',
    remoteOn: 'Solo remoto: sí',
    remoteOff: 'Solo remoto: no',
    toDm: 'Por mensaje directo',
    toEmail: 'Por correo',
    eraseAll: 'Borrar todo',
    keepAll: 'Conservar',
    hideCompany: (company) => `Ocultar ${company}`,
    hideTag: (tag) => `Ocultar ${tag}`,
    unmark: 'Retirar',
  },
  token: {
    modalTitle: 'Tu token de la API',
    field: 'Token de la API',
    placeholder: 'Copiado de la página de tokens del portal',
    saved: (last) =>
      `✅ El token que termina en \`${last}\` funciona y queda guardado cifrado. Solo se muestran esos cuatro caracteres.`,
    savedUntried: (last: string) =>
      `🔑 El token que termina en \`${last}\` queda guardado y cifrado, pero no se ha podido probar: la bolsa de empleo no responde ahora mismo. {/token status} dirá más tarde si funciona.`,
    savedNext: 'Ahora: {/jobs preview} muestra lo que encuentra un filtro, {/jobs subscribe} lo anuncia.',
    savedAgain: 'Tus suscripciones se reanudan automáticamente.',
    missing:
      'No tienes token de la API aquí. Copia uno de la página de tokens del portal y guárdalo con {/token set}.',
    ok: (last) =>
      `🔑 Tu token que termina en \`${last}\` está guardado y fue aceptado. {/jobs list} muestra para qué sirve.`,
    rejected: (last) =>
      `⚠️ El portal ya no acepta tu token que termina en \`${last}\`. Renuévalo en su página de tokens y usa {/token set}.`,
    removed:
      '🗑️ Tu token está borrado. Tus suscripciones esperan hasta que guardes otro con {/token set}; {/privacy erase} borra también el resto.',
    none: 'No había token que quitar. {/token set} guarda uno.',
  },
  email: {
    sent: 'Si esta dirección recibe correo, la confirmación va de camino; no se envía nada más hasta que pulses su enlace. Después elige correo en {/jobs subscribe}.',
    none: 'No tienes dirección de correo aquí. Guarda una con {/email set}.',
    unconfirmed: (address) =>
      `📨 ${address} espera confirmación: pulsa el enlace del correo, o guarda la dirección otra vez con {/email set} para recibir uno nuevo.`,
    confirmed: (address) => `✅ ${address} está confirmada. Elige correo en {/jobs subscribe}.`,
    suppressed: (address) =>
      `⚠️ Los correos a ${address} rebotaron o se marcaron como spam, así que no se envía nada. Guarda otra con {/email set}.`,
    removed:
      '🗑️ Tu dirección de correo está borrada. Las suscripciones que la usaban necesitan otro lugar: {/jobs edit}.',
  },
  hello: (about) =>
    `👋 Las ofertas nuevas de ${about} te llegan aquí. Primeros pasos: {/jobs preview} muestra lo que coincide ahora, {/jobs list} muestra y cambia lo que tienes, {/jobs pause} la detiene por un tiempo, y con los botones bajo una oferta la guardas u ocultas otras parecidas.`,
  jobs: {
    subscribed: (words) => `✅ Entendido: ${words}`,
    already: (id) =>
      `ℹ️ Ya la tienes, como \`${id}\`: el mismo filtro en el mismo lugar. No se añadió nada; con los botones la cambias.`,
    matchesNow: (count) =>
      count === 0
        ? `Ahora mismo coinciden ${count} ofertas; te avisaré de la primera que lo haga.`
        : count === 1
          ? `Ahora coincide ${count} oferta. Solo se anuncia lo nuevo desde ahora.`
          : `Ahora coinciden ${count} ofertas. Solo se anuncia lo nuevo desde ahora.`,
    nextCheck: (when) => `próxima revisión ${when}`,
    nextDigest: (when) => `próximo resumen ${when}`,
    keptToContinue: 'Lo que escribiste se guarda un día: pulsa «Continuar» para intentarlo de nuevo.',
    keptForToken:
      'Lo que escribiste se guarda un día: en cuanto guardes el token, se continúa automáticamente.',
    goOnThere: (channel) =>
      `Sigue en ${channel}: pulsa allí «Guardar token»; lo que escribiste está guardado.`,
    askZone: '¿En qué zona horaria? La recuerdo para la próxima vez.',
    zonePlaceholder: 'Elige tu zona horaria',
    zoneTitle: 'Tu zona horaria',
    zoneField: 'Ciudad o zona, como Europe/Madrid',
    none: 'No tienes suscripciones. {/jobs preview} muestra lo que encuentra un filtro, {/jobs subscribe} lo anuncia.',
    listTitle: (count) => (count === 1 ? `${count} suscripción` : `${count} suscripciones`),
    open: 'Abrir una',
    page: (number, of) => `Página ${number} de ${of}`,
    state: {
      active: '🟢 en marcha',
      paused: '⏸️ en pausa',
      'no-token': '🔑 espera un token: {/token set}',
      'token-rejected': '🔑 token rechazado: guarda uno nuevo con {/token set}',
      parked: '⚠️ no puede entregar',
      waiting: '🟡 espera para entregar',
    },
    nextTry: (when) => `próximo intento ${when}`,
    lastCheck: (when) => `última revisión ${when}`,
    owed: (count) => `${count} por enviar`,
    leftServer: (when) =>
      `Me quitaron de su servidor. Si me invitas otra vez, sigue; con {/jobs edit} la cambias de sitio; si no, se borra ${when}.`,
    paused: '⏸️ En pausa. Lo que aparezca mientras tanto no se anuncia después; {/jobs resume} la reanuda.',
    resumed: '▶️ Reanudada. {/jobs history} muestra lo que se entrega.',
    removed: (words) => `🗑️ Suscripción quitada: ${words}. {/jobs subscribe} empieza otra.`,
    restored: '↩️ Suscripción recuperada.',
    changed: '✅ Cambiado.',
    editHint: '¿Qué quieres cambiar?',
    editInServer: 'Un canal se elige en su servidor: usa allí {/jobs edit}.',
    editWhat: 'Lo que buscas',
    editWhen: 'Con qué frecuencia',
    editWhenTitle: 'Cuándo',
    fieldAt: 'Hora, como 9:00 o lunes 9:00',
    fieldZone: 'Zona horaria, como Europe/Madrid',
    fieldTags: 'Etiquetas, separadas por comas',
    fieldCountry: 'País',
    fieldInclude: 'Palabras, al menos una debe aparecer',
    fieldExclude: 'Palabras, ninguna puede aparecer',
    fieldPay: 'Salario mínimo al año',
    editLanguage: 'Idioma de los avisos',
    editWhere: 'Otro canal',
  },
  preview: {
    title: (words) => `🔎 ${words}`,
    now: (count, looked) => `Coinciden **${count}** de ${looked} ofertas actuales.`,
    weeks: (bars, counts) => `Coincidencias por semana, últimos 30 días: ${bars} (${counts})`,
    noHistory:
      'Cuántas veces coincidió en los últimos 30 días se sabrá cuando una de tus suscripciones lleve un tiempo en marcha.',
    removedBy: (rule, count) => `La regla que más quita es ${rule} (${count}).`,
    cards: 'Así se publicarían:',
    nothing: 'Ahora mismo no coincide nada. Con menos palabras, más etiquetas o sin país encontrarás más.',
    next: 'Suscríbete con las mismas opciones: {/jobs subscribe}',
    rules: {
      exclude: (words) => `sin ${words}`,
      include: (words) => `con ${words}`,
      minSalary: 'salario mínimo',
      payUnknown: 'el salario debe indicarse, en una moneda comparable con el dólar',
      tags: (words) => `etiquetas ${words}`,
      country: (words) => `país ${words}`,
      remote: 'solo remoto',
    },
  },
  why: {
    unseen: (job) =>
      `👻 ${job} nunca estuvo entre lo que el portal devolvió para este filtro. Quizá le falta la etiqueta, el país o la marca de remoto, o es anterior a las 100 más nuevas.`,
    baseline: (when) => `📦 Ya estaba cuando empezó la suscripción (${when}), así que no se anunció.`,
    paused: (when) => `⏸️ Apareció durante la pausa (${when}), así que no se anunció.`,
    repost: (when) => `♻️ Es una repetición de otra ya vista (${when}), así que no se anunció otra vez.`,
    filtered: (when, rule) => `🚫 Vista ${when} y quitada por la regla ${rule}. {/jobs edit} la cambia.`,
    matched: (when) => `✅ Vista ${when}, y coincidió.`,
    next: (when) => `lo próximo: ${when}`,
    movedHere: (when) => `trasladada aquí desde otro lugar ${when}`,
    states: {
      moved: 'se trasladó a otro lugar',
      owed: 'espera la próxima entrega',
      underway: 'se está entregando',
      parked: 'no se puede entregar',
      sent: 'se entregó',
      more: 'está en la página de un resumen lleno',
      elsewhere: 'llegó aquí por otra suscripción',
      expired: 'no se pudo entregar a tiempo y se abandonó',
      dropped: 'se dejó fuera: marcaste la oferta, su empresa o su etiqueta como no para ti',
      none: 'no era para este lugar',
    },
  },
  history: {
    title: (words) => `Historial de: ${words}`,
    none: 'Aún no se ha entregado nada. {/jobs preview} muestra lo que coincidiría.',
    baseline: 'empezó',
    sent: (count) => (count === 1 ? `${count} oferta entregada` : `${count} ofertas entregadas`),
    failed: 'una entrega falló y se repite',
    parked: 'entregas detenidas',
    expired: (count) => `${count} abandonadas tras tres días`,
    gap: 'había más ofertas nuevas de las que caben en una respuesta: puede faltar alguna',
    rejected: 'el portal rechazó tu token',
    resumed: 'reanudada',
    unnamed: 'pasó otra cosa',
  },
  saved: {
    title: (count) => `Lo que marcaste: ${count}`,
    none: 'Aún no has guardado nada. Pulsa «Guardar», «Ya postulé» o «No es para mí» bajo una oferta y aparecerá aquí.',
    states: { saved: '🔖 guardada', applied: '✅ postulada', dismissed: '🙈 no es para mí' },
    card: 'la tarjeta',
    noLink: 'su enlace de solicitud está en la tarjeta desde la que se guardó',
    hidden: (count) => `Ocultas: ${count}. Elige qué quieres volver a ver`,
  },
  marks: {
    saved: (title) => `🔖 Guardada: ${title}. {/jobs saved} la muestra.`,
    applied: (title) => `✅ Marcada como postulada: ${title}. ¡Suerte! {/jobs saved} la muestra.`,
    dismissed: (title) => `🙈 No es para ti: ${title}. No llegará a tus mensajes directos ni correos.`,
    hideMore: 'Puedes ocultar más como esta:',
    unmarked: (title) => `↩️ Retirada la marca: ${title}.`,
    pick: (title) => `¿Qué hacemos con ${title}?`,
    hidden: (words) =>
      `🙈 ${words} ya no llegará a tus mensajes directos ni correos; los canales lo siguen mostrando a todos. Con {/jobs saved} se deshace.`,
  },
  privacy: {
    exported:
      'Todo lo guardado sobre ti está en este archivo; tu token no, nunca sale de aquí. {/privacy erase} lo borra todo.',
    eraseAsk:
      'Esto borra tu token, tu dirección de correo, tus suscripciones con su historial y lo que guardaste. No se puede deshacer; {/privacy export} te da antes una copia.',
    erased: '🗑️ Todos tus datos están borrados. Usa {/help} para empezar de nuevo.',
    kept: 'No se borró nada.',
  },
  help: {
    title: 'Tres pasos hasta tu primera oferta',
    one: '**1. Tu token** · Copia tu token de la API de la página de tokens del portal y guárdalo: {/token set}. Nadie más lo ve.',
    two: '**2. Mira primero** · {/jobs preview} muestra lo que un filtro encuentra ahora y cuánto encontró últimamente.',
    three:
      '**3. Suscríbete** · {/jobs subscribe} anuncia ofertas nuevas aquí (con Gestionar canales), por mensaje directo o por correo ({/email set}).',
    after:
      'Después: {/jobs list} muestra y cambia lo que tienes, {/jobs why} explica por qué una oferta llegó o no, {/jobs saved} guarda lo que marcaste.',
    done: 'hecho',
  },
};
