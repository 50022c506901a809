// Spanish texts of the mails.
import type { MailTexts } from './mail-en.js';

export const mailEs: MailTexts = {
  digestSubject: (count, about, period) => `${count}: ${about}, ${period}`,
  alertSubject: (count, about) => `${count}: ${about}`,
  alertSubjectOne: (title, company) => `${title} en ${company}`,
  alertSubjectBare: (title) => `Nueva oferta: ${title}`,
  partSubject: (subject, part) => `${subject} (${part})`,
  among: (titles) => `Entre ellas: ${titles}.`,
  fill: (source) => `Ofertas nuevas que coinciden con lo que pediste, vía ${source}.`,
  newCount: (count) => (count === 1 ? '1 nueva' : `${count} nuevas`),
  remoteCount: (count) => `${count} en remoto`,
  medianPay: (pay) => `salario mediano indicado ${pay}`,
  otherGroup: 'Otras ofertas',
  moreFrom: (company) => `Más de ${company}`,
  chartTitle: 'Ofertas por semana',
  chartAlt: (title, counts) => `${title}: ${counts}.`,
  weekFrom: (date) => `semana del ${date}`,
  lastWeek: 'últimos 7 días',
  seeAll: 'Verlas todas en el navegador',
  whyThis: (about, cadence) => `Recibes este correo porque lo pediste: ${about}; ${cadence}.`,
  operatorStops:
    'Lo configuró quien opera este servicio; para dejar de recibirlo basta con responder a este correo.',
  browser: 'Ver en el navegador',
  preferences: 'Cambiar lo que recibes',
  unsubscribe: 'Darse de baja',
  confirm: {
    subject: (source) => `Confirma, por favor: ofertas vía ${source}`,
    preheader: 'Pulsa el botón para empezar a recibir los correos. Sin ese clic no se envía nada.',
    title: '¿Quieres recibir estos correos?',
    intro: (source) =>
      `Alguien, esperamos que tú, pidió recibir en esta dirección las ofertas nuevas vía ${source}.`,
    about: (about) => `Pedido: ${about}.`,
    button: 'Sí, quiero recibirlos',
    hours: (hours) => `El enlace sirve una vez, durante ${hours} horas.`,
    ignore: 'Si no fuiste tú, no hagas nada: sin el clic no llegará ningún otro correo a esta dirección.',
  },
  dataRequest: {
    preheader: 'El enlace sirve una vez; sin él no pasa nada.',
    export: {
      subject: (source) => `Tus datos para descargar, ${source}`,
      title: '¿Descargar tus datos?',
      intro: (source) =>
        `Alguien con un enlace de tus correos de ofertas vía ${source} pidió todo lo que se guarda sobre ti.`,
      button: 'Ir a la descarga',
    },
    erase: {
      subject: (source) => `¿Borrar todos tus datos? ${source}`,
      title: '¿Borrar todos tus datos?',
      intro: (source) =>
        `Alguien con un enlace de tus correos de ofertas vía ${source} pidió que se borre todo lo que se guarda sobre ti.`,
      button: 'Ir al borrado',
    },
    hours: (hours) => `El enlace sirve una vez, durante ${hours === 1 ? 'una hora' : `${hours} horas`}.`,
    ignore:
      'Si no fuiste tú, no hagas nada. Quizá fue alguien a quien reenviaste un correo: no recibió nada ni cambió nada.',
  },
  notice: {
    subject: (source) => `Tus correos de ofertas vía ${source} necesitan atención`,
    preheader: 'Tu suscripción necesita atención; este correo explica qué hacer.',
    title: 'Tu suscripción necesita atención',
    button: 'Abrir preferencias',
    once: 'Recibes este correo una sola vez. El problema sigue hasta que lo resuelvas.',
  },
};
