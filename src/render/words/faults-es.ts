// Spanish words for what went wrong or was understood otherwise.
import type { FaultTexts } from './faults-en.js';

export const faultsEs: FaultTexts = {
  fault: {
    unknownTag: (word) => `«${word}» no es una etiqueta que el portal de empleo conozca.`,
    unknownCountry: (word) => `«${word}» no es un país que yo conozca.`,
    unknownZone: (word) => `«${word}» no es una zona horaria que yo conozca.`,
    didYouMean: (words) => `¿Querías decir ${words}?`,
    seeList: 'Elige de la lista que aparece al escribir.',
    zoneExample: 'Escríbela como Europe/Madrid o elige de la lista.',
    pay: (text) => `«${text}» no es un salario anual; escríbelo como 80000 u 80k.`,
    tooManyTags: (most) => `Como mucho ${most} etiquetas, por favor: cada una es una consulta propia.`,
    words: (most, length) =>
      `Como mucho ${most} palabras o frases de ${length} caracteres como máximo cada una, por favor.`,
    every: (text) => `«${text}» no existe; hay: en cuanto aparecen, cada hora, cada día y cada semana.`,
    at: (text) => `«${text}» no es una hora que entienda; escríbela como 9:00 o lunes 9:00.`,
    atAlone:
      'La hora solo va con «cada día» o «cada semana»; elige una de ellas en «frecuencia» o quita la hora.',
    dayOfDaily: 'El día solo va con «cada semana»; elígela en «frecuencia» o quita el día.',
    noServer: 'Aquí no hay ningún canal. Úsalo en un servidor o recíbelo por mensaje directo.',
    botNotHere:
      'No soy miembro de este servidor y no puedo publicar aquí. Pide a un administrador que me invite, o recíbelo por mensaje directo.',
    channelUnseen: (channel) => `No veo ${channel}. Dame Ver canal allí o elige otro canal.`,
    channelLocked: (channel) => `${channel} está bloqueado. Desbloquéalo o elige otro canal.`,
    needManage: (channel) =>
      `Necesitas Gestionar canales en ${channel} para suscribirlo. Pídelo a quien lo tenga, o recíbelo por mensaje directo.`,
    botLacks: (channel, rights) =>
      `En ${channel} me falta: ${rights}. Dámelo en los permisos del canal e inténtalo otra vez.`,
    channelOnly: 'Un canal solo va con la entrega en un canal; quita uno de los dos.',
    mentionOnly: 'Un rol solo se puede mencionar en un canal; quítalo o elige un canal.',
    mentionEveryone: 'No menciono a todo el mundo. Elige un rol que se pueda dejar.',
    notPingable: (role) =>
      `Mi mención de ${role} no llegaría a nadie. Permite que cualquiera lo mencione o dame Mencionar a todos.`,
    emailOff:
      'El correo está desactivado aquí; quien opera este bot puede activarlo. Elige un canal o un mensaje directo.',
    emailNone: 'Aún no tienes dirección de correo. Guarda una con {/email set} e inténtalo otra vez.',
    emailSuppressed:
      'Los correos a tu dirección rebotaron o se marcaron como spam, así que no se envía nada. Guarda otra con {/email set}.',
    mailAway: 'El correo de confirmación no se pudo enviar ahora. Inténtalo de nuevo en unos minutos.',
    dmClosed:
      'Discord no me deja escribirte, así que no se guardó nada. Permite los mensajes directos de los miembros de un servidor que compartamos (nombre del servidor, Ajustes de privacidad) e inténtalo de nuevo, o elige otro lugar.',
    dmNoServer:
      'No compartimos ningún servidor, así que Discord no me deja escribirte, y no se guardó nada. Únete a un servidor en el que yo esté o instálame para ti, e inténtalo de nuevo.',
    noToken: 'Aún no tienes token de la API. Guárdalo con {/token set} e inténtalo otra vez.',
    tokenRejected:
      'El portal de empleo ya no acepta tu token. Guarda uno nuevo con {/token set} e inténtalo otra vez.',
    notYours: 'Este botón es de otra persona. Con {/help} empiezas lo tuyo.',
    stale: 'Esta pregunta ya se respondió o es demasiado antigua. Empieza otra vez con {/jobs subscribe}.',
    oldButton: 'Este botón es de una versión anterior de mí. Usa {/jobs list}.',
    noSubscription: (words) => `Ninguna suscripción tuya se llama «${words}». {/jobs list} las muestra.`,
    severalSubscriptions: (words) =>
      `Varias de tus suscripciones encajan con «${words}». Elige de la lista que aparece al escribir.`,
    cardGone: 'Esta tarjeta es demasiado antigua: lo que mostraba ya no se guarda. Las nuevas aún funcionan.',
    notAToken: 'Eso no es un token de la API. Cópialo sin espacios de la página de tokens del portal.',
    tokenRefused:
      'El portal de empleo no acepta este token. Copia uno nuevo de su página de tokens y guárdalo otra vez; no se guardó nada.',
    tokenTries: (minutes: number) =>
      `Se han probado demasiados tokens. Inténtalo de nuevo dentro de ${minutes === 1 ? 'un minuto' : `${minutes} minutos`}; lo guardado no cambia.`,
    capAccount: (most) =>
      `Tienes ${most} suscripciones, el máximo permitido aquí. Quita antes una con {/jobs remove}.`,
    capServer: (most) =>
      `Este servidor tiene ${most} suscripciones, el máximo permitido aquí. Quita antes una con {/jobs remove}.`,
    erased: 'Entretanto se borró todo lo tuyo, así que no se guardó nada.',
    boardAway: 'El portal de empleo no responde ahora. No se guardó nada; inténtalo en unos minutos.',
    boardBusy: 'El portal de empleo pide una pausa con tu token. Inténtalo en unos minutos.',
    fromFile: 'Esta está en el archivo de quien opera el bot; aquí se puede pausar, pero se cambia allí.',
    restarting:
      'jobcrier se está reiniciando. No se ha guardado nada; inténtalo de nuevo dentro de un minuto.',
    stopping:
      '🔄 jobcrier se está reiniciando; inténtalo de nuevo dentro de un minuto. {/jobs list} muestra si se llegó a hacer.',
    restarted:
      '🔄 jobcrier se ha reiniciado a mitad de esto. {/jobs list} muestra si se llegó a hacer; si no, inténtalo de nuevo.',
    ownersMove: 'Solo su dueño puede sacar esta suscripción del servidor.',
    noSuch: 'No tienes esa suscripción. {/jobs list} muestra las que tienes.',
    address: 'Eso no es una dirección de correo. Escríbela como yo@example.org.',
    sinkOff: 'Esta forma de entrega está desactivada aquí; quien opera el bot puede activarla.',
    badLinks:
      'No pude mostrar estas ofertas con sus enlaces intactos, así que no muestro ninguna. Quien opera el bot puede leer por qué en el registro.',
    tooLong: 'Esto tarda más de lo debido. Mira dentro de un rato en {/jobs list} qué pasó.',
    unknown: (reference) =>
      `Algo falló por mi parte y no hiciste nada mal. Inténtalo en un minuto; si sigue igual, da este código a quien opera el bot: ${reference}.`,
  },
  rights: {
    view: 'Ver canal',
    send: 'Enviar mensajes',
    embed: 'Insertar enlaces',
    threads: 'Enviar mensajes en hilos',
    files: 'Adjuntar archivos',
  },
  note: {
    translated: (typed, understood) => `Leí «${typed}» como ${understood}.`,
    dmInstead: (channel) =>
      `Para suscribir ${channel} necesitas Gestionar canales (Manage Channels); las ofertas llegan por mensaje directo.`,
    unconfirmed:
      'Tu dirección de correo aún no está confirmada: pulsa el enlace del correo que te envié, o no llegará nada.',
  },
};
