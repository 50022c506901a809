// The words of a wish in Spanish. See language.ts.
import type { Language } from './language.js';

export const es: Language = {
  code: 'es',
  grammar: {
    not: 'no|ningún|ninguna|ninguno|ningunos|ningunas|ningún puesto de|ningún trabajo de|ninguna empresa de|sin|excepto|salvo|nada de|nada con|nada relacionado con|ni|nunca|que no sea|que no sean|que no|excluir|evitar|tampoco|no quiero|fuera de|no en|pero no|nada|descartar|menos|todo menos|todos menos|cualquier país menos|en cualquier país menos|cualquier lugar menos|en cualquier lugar menos|en cualquier sitio menos|fuera del|no quiero ver|a excepción de|con excepción de',
    rather:
      'preferiblemente|preferentemente|mejor si|mejor|de preferencia|idealmente|a ser posible|prefiero|con preferencia|preferible|preferencia por|más bien|ojalá|mejor si es|mejor si son|sobre todo|si no|en su defecto|preferiría|preferiríamos|no solo|no sólo|no necesariamente',
    softly:
      'si es posible|sería un plus|se valora|un plus|a poder ser|estaría bien|sería ideal|es un plus|si puede ser|se valorará|deseable|no necesario|no es necesario|no hace falta|no es imprescindible|no imprescindible|no obligatorio|no es obligatorio|no requerido|opcional|bienvenido|bienvenida',
    also: 'también vale|también me vale|me vale|también está bien|está bien|también sirve|también es posible|también posible|vale también|también ok|no me importa',
    or: 'o|u|y o|o bien|o también',
    and: 'y|e|además|más|así como|además de',
    but: 'pero|sino|aunque',
    least:
      'al menos|por lo menos|nada por debajo de|nada de menos de|mínimo|como mínimo|mín|desde|a partir de|más de|no menos de|por encima de|superior a|de al menos|entre|un mínimo de|con un mínimo de|de mínimo|mínimo de|que pague al menos|que paguen al menos',
    most: 'como máximo|máximo|hasta|menos de|no más de|por debajo de|inferior a',
    company:
      'en la empresa|en la compañía|en las empresas|empresa|la empresa|compañía|empresas como|compañías como|trabajar en|trabajar para|trabajar con',
    words:
      'que mencionen|que mencione|que contenga|que contengan|con la palabra|con las palabras|palabra clave|palabras clave|mencionando|que hablen de',
    tagged: 'con la etiqueta|con las etiquetas|etiquetadas como|etiqueta',
    posted:
      'de los últimos|en los últimos|los últimos|últimos|últimas|de las últimas|en las últimas|las últimas|de la última|en la última|la última|última|último|del último|el último|publicadas en los últimos|publicados en los últimos|publicadas en las últimas|no más antiguas de|publicadas hace menos de',
    stated:
      'solo con salario indicado|con salario indicado|con sueldo indicado|con el salario indicado|salario indicado|con salario publicado|que indiquen salario|que indiquen el salario|que indique el salario|con salario visible',
    remote:
      'en remoto|remoto|remota|remotos|remotas|teletrabajo|a distancia|100% remoto|100% en remoto|100% remota|desde casa|totalmente remoto|trabajo remoto|solo remoto|solo en remoto|en teletrabajo|trabajo en remoto|completamente remoto|full remoto|sin oficina|nada presencial|no presencial|teletrabajar',
    office: 'presencial|presenciales|en oficina|en la oficina',
    labelled: 'con la marca de remoto|marcadas como remotas',
    upwards: 'o superior|o más|y más|o más alto|en adelante|para arriba|o superiores',
    other:
      'web3|personal a cargo|sin personal a cargo|gestión de personas|pequeño|pequeña|pequeños|pequeñas|grande|grandes|equipo|equipos|startup|startups|inglés|español|alemán|francés|habla|hispana|visado|visa|bueno|buena|buen|buenos|buenas|interesante|interesantes|moderno|joven|jóvenes|flexible|horario|horario flexible|horarios|híbrido|híbrida|beneficios|experiencia|con experiencia|sin experiencia|años|años de experiencia|título|sin título|semanas|meses|días|gente|personas|empleados|cultura|estrés|vacaciones|ambiente|buen ambiente|con sentido|ético|ética|conciliación|seria|serias|crecimiento|bonus|acciones|tokens|fines de semana|fin de semana|divertido|divertida|mundo real|libre|rápido',
    filler:
      'publicado|publicada|publicados|publicadas|ver|salario base|sueldo base|tarifa|tarifa por hora|tarifa diaria|por hora|huso horario|zona horaria|zonas horarias|sede|con sede|dónde|da igual dónde|busco|buscando|estoy buscando|quiero|quisiera|querría|me gustaría|me interesa|me interesan|interesa|necesito|un|una|unos|unas|uno|el|la|los|las|lo|de|del|en|con|para|por|a|al|que|se|sea|sean|es|ser|son|me|mi|yo|nos|este|esta|eso|trabajo|trabajos|trabajar|curro|curros|empleo|empleos|puesto|puestos|oferta|ofertas|ofertas de empleo|ofertas de trabajo|vacante|vacantes|algo|cualquier|todo|todos|todas|solo|solamente|únicamente|también|por favor|gracias|hola|como|sueldo|salario|pago|pagado|pagados|paga|pague|paguen|euros al año|año|al año|por año|anual|anuales|brutos|bruto|empresas|proyectos|proyecto|sector|área|nivel|ubicado|ubicada|ubicados|perfil|cosas|temas|tema|tipo|todo el mundo|cualquier lugar|cualquier parte|cualquier sitio|donde sea|da igual|país|nuevo|nuevos|nuevas|debe|debe ser|tiene que ser|tengan|tenga|haya|hay|estar|esté|están|basado|basada|enséñame|muéstrame|envíame|si|sí|muy|tecnología|tecnologías|lenguaje|lenguajes|dedicado a|relacionado con|relacionados con|roles|rol|cargo|ya',
  },
  level:
    'intern: becario|becaria|becarios|pasante|pasantes; junior: júnior|principiante|recién graduado|recién titulado; mid: nivel intermedio|intermedio|semi senior|semisenior; senior: sénior|experimentado|experimentada; staff: staff; lead: líder|líder técnico|jefe de equipo|líder de equipo; principal: principal; head: jefe|jefa|responsable; director: director|directora|vicepresidente; c-level: alta dirección|fundador|fundadora|ejecutivo',
  contract:
    'full-time: a jornada completa|jornada completa|tiempo completo|a tiempo completo; part-time: a media jornada|media jornada|tiempo parcial|a tiempo parcial|jornada parcial; permanent: indefinido|contrato indefinido|indefinida|fijo|contrato fijo; contract: por cuenta propia|autónomo|autónoma|autónomos|como freelance|contratista; temporary: temporal|contrato temporal|temporales; internship: en prácticas|contrato en prácticas|prácticas|beca|becas|pasantía|pasantías; volunteer: voluntariado|voluntario|voluntaria|no remunerado',
  role: 'engineering: ingeniería|ingeniero|ingeniera|desarrollador|desarrolladora|desarrolladores|desarrollo|programador|programadora|programación|desarrollador de software|ingeniero de software; data: datos; research: investigación; security: seguridad|ciberseguridad|auditor|auditora; design: diseño; product: producto; marketing: marketing|redactor|redactora|redactor de contenidos|redactora de contenidos; sales: ventas|ejecutivo de cuentas|ejecutiva de cuentas|ejecutivo de ventas|ejecutiva de ventas|generación de leads; devrel: relaciones con desarrolladores; community: comunidad; support: soporte; operations: operaciones|asistente de dirección|asistente ejecutivo|asistente ejecutiva|asistente del director general|asistente del director|asistente personal; finance: finanzas|contabilidad|contable; legal: legal|abogado|abogada|derecho; people: recursos humanos|rrhh',
  region:
    'eu: la UE|UE|Unión Europea; eea: el EEE|EEE|Espacio Económico Europeo; europe: Europa|europeo|europea|europeas|europeos; emea: EMEA; mena: Oriente Medio y Norte de África|Oriente Medio; africa: África; americas: las Américas|Américas; north-america: Norteamérica|América del Norte; south-america: Sudamérica|Suramérica|América del Sur; latam: Latinoamérica|América Latina|Hispanoamérica|Centroamérica|América Central; apac: Asia-Pacífico; asia: Asia|sudeste asiático; dach: los países DACH; nordics: los países nórdicos|Escandinavia|países nórdicos; baltics: los países bálticos|países bálticos|bálticos; benelux: el Benelux',
  posted:
    '1: de hoy|hoy|ayer|de ayer|desde hoy|desde ayer|publicadas hoy|publicados hoy|en las últimas 24 horas|de las últimas 24 horas|últimas 24 horas; 2: en las últimas 48 horas|últimas 48 horas; 7: esta semana|de esta semana|desde la semana pasada; 30: este mes|de este mes|desde el mes pasado',
  roleForms: 'área de {}|del área de {}|roles de {}|rol de {}|puestos de {}',
  tags: {
    ai: 'IA|inteligencia artificial|aprendizaje automático',
    analyst: 'analista|analistas|analista de datos',
    bitcoin: 'bitcoin',
    blockchain: 'cadena de bloques',
    'community-manager': 'gestor de comunidad|gestora de comunidad|gestión de comunidades|comunidad',
    crypto: 'cripto|criptomonedas|criptomoneda',
    cryptography: 'criptografía|criptógrafo|criptógrafa',
    'customer-support': 'atención al cliente|soporte al cliente|soporte',
    'data-science': 'ciencia de datos|científico de datos|científica de datos|datos',
    design: 'diseño|diseñador|diseñadora|diseñadores|diseñadoras|diseño de producto',
    gaming: 'videojuegos|juegos',
    'developer-relations': 'relaciones con desarrolladores',
    mobile: 'móvil|móviles|desarrollo móvil',
    moderator: 'moderador|moderadora|moderadores',
    'open-source': 'código abierto|software libre',
    'pay-in-crypto':
      'pago en cripto|pagan en cripto|paguen en cripto|que paguen en cripto|pagado en cripto|cobrar en cripto',
    'product-manager': 'jefe de producto|jefa de producto|gestor de producto|producto',
    'project-manager': 'jefe de proyecto|jefa de proyecto|gestor de proyectos|gestión de proyectos',
    research: 'investigación|investigador|investigadora',
    sales: 'ventas|comercial|desarrollo de negocio',
    'smart-contract': 'contratos inteligentes|contrato inteligente',
    'zero-knowledge': 'conocimiento cero|pruebas de conocimiento cero',
  },
  days: 'días|día',
  weeks: 'semanas|semana',
  months: 'meses|mes',
  periods:
    'year: año|anuales|anual; month: mes|mensuales|mensual; week: semana|semanales; day: día|diarios; hour: hora',
  numbers: 'un|dos|tres|cuatro|cinco|seis',
  printed: {
    in: 'en {}',
    posted: 'de los últimos {} días',
    dollars: ['', ' $'],
    thousands: '.',
    without: 'sin {}',
  },
};
