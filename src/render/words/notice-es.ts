// Spanish notices to owners.
import type { NoticeTexts } from './notice-en.js';

export const noticeEs: NoticeTexts = {
  fix: {
    addressBounces:
      'Los correos a tu dirección vuelven sin entregarse, así que no se envía nada. Guarda otra con {/email set}.',
    channelGone: 'El canal de Discord ya no existe. Elige otro con {/jobs edit} o quita la suscripción.',
    channelHidden: 'No veo el canal de Discord. Dame Ver canal allí y usa {/jobs resume}.',
    dmClosed:
      'Discord no me deja escribirte. Permite los mensajes directos de miembros del servidor y usa {/jobs resume}.',
    forumTag:
      'El foro exige una etiqueta en cada publicación y no tiene ninguna que yo pueda usar. Añade una o quita la regla y usa {/jobs resume}.',
    mailPaused:
      'El correo a este proveedor se retiene un tiempo porque su servidor lo rechazó. Se reanuda automáticamente.',
    mailUnconfirmed: 'Pulsa el enlace del correo de confirmación; tus resúmenes empiezan justo después.',
    mailUnsubscribed: 'Te diste de baja con el enlace de un correo; en esa misma página puedes deshacerlo.',
    mayNotPost:
      'No puedo publicar en el canal de Discord. Dame allí Enviar mensajes e Insertar enlaces (en hilos, Enviar mensajes en hilos) y usa {/jobs resume}.',
    noMessages:
      'Ese canal de Discord no admite mensajes. Elige con {/jobs edit} un canal de texto o de anuncios, un foro o un hilo.',
    noSharedServer:
      'No comparto ningún servidor contigo, así que Discord no me deja escribirte. Entra en uno en el que yo esté o instálame para ti, y usa {/jobs resume}.',
    refused: 'Discord rechaza allí mis mensajes. Revisa mis permisos en el canal y usa {/jobs resume}.',
    serverLeft: 'Ya no estoy en ese servidor de Discord. Invítame otra vez y usa {/jobs resume}.',
    sinkOff:
      'Esta forma de entrega está desactivada aquí; lo pendiente espera hasta 30 días a que el operador la active.',
    threadArchived: 'El hilo de Discord está archivado y no puedo reabrirlo. Reábrelo y usa {/jobs resume}.',
    threadLocked:
      'El hilo de Discord está bloqueado. Desbloquéalo y usa {/jobs resume}, o elige otro lugar con {/jobs edit}.',
    userGone: 'No se puede escribir a ese usuario de Discord. Elige otro lugar con {/jobs edit}.',
  },
  left: (count, days) =>
    `Me quitaron de un servidor de Discord, así que las suscripciones que publican allí se han detenido (${count}). Si me invitas otra vez, siguen; con {/jobs edit} las cambias de sitio; tras ${days} días se borran.`,
  token: (source) =>
    `El portal de empleo ya no acepta tu token de la API, así que tus suscripciones esperan. Renuévalo en la página de tokens de ${source} y guarda el nuevo con {/token set}; mientras tanto no se pierde nada.`,
  destination: (sink) =>
    `Las entregas por ${sink} se han detenido. {/jobs list} dice por qué; arréglalo y usa {/jobs resume}.`,
  posting: (sink) =>
    `Una oferta no se pudo enviar por ${sink} tras cinco intentos y quedó apartada; las demás se enviaron. {/jobs history} dice más.`,
  expired: (count, sink) =>
    `No se pudo llegar a ${sink} durante tres días, así que hay ofertas que no se enviaron (${count}). {/jobs history} dice más.`,
  gap: (tags) =>
    `Había más ofertas nuevas${tags && ` de ${tags}`} de las que caben en una respuesta del portal, así que puede faltar alguna. Durante un día pido más ofertas y con más frecuencia; un filtro más estrecho lo evita: {/jobs edit}.`,
  keys: 'El portal ha dado identificadores nuevos a todas sus ofertas. Las he reconocido por el título y la empresa y no las envío otra vez; las nuevas siguen llegando. No tienes que hacer nada.',
  load: (requests, interval) =>
    `Tus suscripciones necesitan ${requests} consultas distintas, más de las que un solo token de la API puede hacer a tiempo. Las hago tan rápido como permite el portal, así que las ofertas llegan más tarde. Ayuda usar menos etiquetas o menos suscripciones; con un intervalo de ${interval} caben todas.`,
  silence: (days) =>
    `Nada ha coincidido en ${days} días. Un filtro más amplio puede ayudar: menos palabras, más etiquetas o ningún país. {/jobs preview} muestra lo que encontraría.`,
};
