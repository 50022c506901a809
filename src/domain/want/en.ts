// The words of a wish in English. See language.ts.
import type { Language } from './language.js';

export const en: Language = {
  code: 'en',
  grammar: {
    not: "not|no|without|excluding|exclude|except|avoid|never|nor|neither|minus|non|nothing|nothing in|nothing from|nothing at|nothing related to|nothing around|none of|nothing with|nothing about|nothing to do with|do not want|don't want|i do not want|i don't want|not interested in|other than|anything but|skip|hide|leave out|not for|not a|not an|stay away from|anywhere but|everywhere but|anywhere except|everywhere except|anywhere other than|all but|everything but|outside|outside of|not based in|not located in|no longer in|i do not want to see|i don't want to see|i would not work in|not keen on|tired of|sick of",
    rather:
      "preferably|rather|ideally|prefer|would prefer|i'd prefer|i prefer|i would prefer|preference for|with a preference for|favor|favour|hopefully|i would love|would love|most of all|otherwise|if not|failing that|not only|not just|not necessarily",
    softly:
      'if possible|a plus|is a plus|are a plus|would be a plus|nice to have|would be nice|would be great|is preferred|are preferred|preferred|is a bonus|a bonus|when possible|where possible|not required|is not required|isnt required|not needed|not necessary|not mandatory|not a must|no must|optional|is optional|welcome|is welcome|are welcome',
    also: 'is fine|is fine too|are fine|are fine too|fine too|is also fine|also fine|would be fine|is ok|is ok too|is okay|is okay too|are ok|are okay|ok too|okay too|is also ok|is also okay|also ok|also okay|is acceptable|works too|also works|would work too|is good too|as well',
    or: 'or|and or|or else',
    and: 'and|as well as|plus|n',
    but: 'but|however|though|yet',
    least:
      'at least|minimum|min|minimum of|a minimum of|from|starting at|starting from|no less than|not less than|not under|not below|nothing under|nothing below|more than|over|above|upwards of|between|paying at least|salary from|pay from',
    most: 'at most|up to|maximum|max|less than|under|below|no more than|not more than|not over|not above',
    company:
      'at|at the company|the company|company|by|work for|working for|jobs from|roles from|postings from|positions from|openings from|offers from|anything from|companies like|companies such as|employers like|firms like',
    words:
      'mentioning|mention|mentions|that mention|that mentions|which mention|containing|contains|with the word|with the words|with the phrase|keyword|keywords',
    tagged: 'tagged|tagged with|with the tag|with tag',
    posted:
      'posted in the last|posted within the last|posted in the past|published in the last|in the last|within the last|from the last|of the last|in the past|from the past|posted within|within|the last|last|past|not older than|no older than|newer than|posted last',
    stated:
      'pay must be stated|only with pay stated|with pay stated|pay stated|salary must be stated|with salary stated|with a stated salary|with stated salary|salary stated|salary disclosed|with salary disclosed|pay disclosed|with known pay|salary must be listed|salary listed|with salary listed',
    remote:
      'remote|remotely|fully remote|remote only|only remote|remote first|remote friendly|100% remote|full remote|work from home|working from home|wfh|working remotely|home office|telecommute|no office|not in the office|no on site|no commute',
    office: 'on site|onsite|in office|in the office|office based|in person|at the office',
    labelled: 'labelled remote|labeled remote',
    upwards:
      'or above|or higher|and above|and up|or up|upwards|and higher|or better|or more senior|and upwards|or more|and more|or greater',
    other:
      'web3|products|people management|people manager|direct reports|no direct reports|staff augmentation|mid market|head office|headquarters|lead investor|small|smaller|big|large|larger|tiny|teams|team|startup|startups|start up|early stage|stage|series|seed|english|german|spanish|french|speaking|english speaking|visa|sponsorship|visa sponsorship|no visa sponsorship|friendly|culture|good|great|nice|cool|interesting|exciting|modern|young|flexible|hours|flexible hours|hybrid|benefits|equity|tokens|bonus|relocation|funded|well funded|fast|growing|serious|reputable|experience|no experience|no experience required|no experience needed|years|years of experience|years experience|degree|no degree|async|four day week|4 day week|week|months|days|people|employees|mission|ethical|stock|options|crunch|stress|pto|vacation|holiday|holidays|meetings|weekend|weekends|remuneration|well paid|competitive|trust|rest|reach|test|must|reason|real|world',
    filler:
      "see|everywhere|posted|published|base|base salary|base pay|hourly|hourly rate|day rate|daily rate|monthly salary|time zone|time zones|timezone|timezones|overlap with|must overlap with|overlapping with|i|i'm|i am|we|we're|me|my|us all|a|an|the|is|are|be|am|in|on|of|for|to|with|as|it|it's|its|that|which|who|this|these|those|there|want|wants|wanted|i want|looking|looking for|look|search|search for|searching|searching for|seeking|find|find me|show|show me|give me|send me|get|need|would like|i'd like|like|please|pls|thanks|thank you|hi|hello|hey|job|jobs|work|working|works|position|positions|role|roles|posting|postings|opening|openings|opportunity|opportunities|gig|gigs|vacancy|vacancies|something|anything|everything|any|some|all|only|just|also|so|should|should be|must be|has|have|having|can|could|can be|could be|will|would|located|based|place|location|level|pay|pays|paying|paid|payment|salary|wage|compensation|year|a year|per year|yearly|annual|annually|per annum|gross|companies|employer|employers|firm|firms|project|projects|industry|sector|area|field|stuff|things|thing|related|kind|kind of|type|tech|technology|technologies|language|languages|code|coding|full|pure|worldwide|anywhere|globally|global|world wide|m f d|m f x|f m d|then|maybe|you|your|new|open|yes|do|go for|about|around|experienced in|within the|person|someone|skills|skill|stack|good at|main|mainly|mostly",
  },
  level:
    'intern: intern|interns|trainee|apprentice; junior: junior|jr|entry level|graduate|grad|beginner; mid: mid-level|mid|middle|intermediate; senior: senior|sr|experienced; staff: staff; lead: lead|tech lead|team lead|technical lead; principal: principal; head: head|head of; director: director|vp|vice president; c-level: C-level|executive|founder|cofounder|co-founder|cxo',
  contract:
    'full-time: full-time|full time job|fulltime; part-time: part-time|parttime; permanent: permanent|perm|permanent contract|employed; contract: freelance|contract|contractor|freelancer|contracting|b2b|freelancing|c2c|corp to corp; temporary: temporary|temp|fixed term|interim|seasonal; internship: internship|working student; volunteer: volunteer|volunteering|unpaid',
  role: 'engineering: engineering|engineer|software engineer|developer|dev|programmer|software developer|coder|software engineering|software|QA|quality assurance|tester|test engineer; data: data; research: research; security: security|infosec|auditor; design: design|art director|creative director|illustrator; product: product; marketing: marketing|marketer|copywriter|content writer|content marketing|SEO|PR|public relations; sales: sales|BD|account executive|sales executive|business development executive|account manager|lead generation|lead gen; devrel: developer relations; community: community; support: support; operations: operations|ops|executive assistant|executive assistant to the CEO|personal assistant|virtual assistant|office manager|chief of staff|founders associate; finance: finance|accounting|accountant|staff accountant|payroll|controller|treasurer|bookkeeper; legal: legal|compliance|lawyer|counsel; people: people|people ops|hr|human resources|recruiting|recruiter|talent|headhunter|head hunter',
  region:
    'eu: the EU|EU|e.u.|European Union; eea: the EEA|EEA|European Economic Area; europe: Europe|european|europe based; emea: EMEA; mena: the Middle East and North Africa|MENA|Middle East|Gulf; africa: Africa|african; americas: the Americas|Americas; north-america: North America|north american; south-america: South America|south american; latam: Latin America|LATAM|latin american|Central America|Central American; apac: Asia-Pacific|APAC; asia: Asia|asian|Southeast Asia|South East Asia; dach: the DACH countries|DACH|DACH region; nordics: the Nordic countries|Nordics|Scandinavia|nordic|scandinavian; baltics: the Baltic states|Baltics|Baltic; benelux: Benelux',
  posted:
    '1: posted today|today|published today|new today|since yesterday|since today|from today|yesterday|posted yesterday|published yesterday|from yesterday|last 24h|in the last 24h|24h|last day|last 24 hours|in the last 24 hours|past 24 hours|in the past 24 hours|within 24 hours|within the last 24 hours|newest only; 2: last 48 hours|in the last 48 hours|past 48 hours|last 48h; 14: last fortnight|in the last fortnight|past fortnight; 7: this week|posted this week|published this week|new this week|from this week|since last week; 30: this month|posted this month|published this month|since last month',
  roleForms: '{} roles|{} role|roles in {}|a role in {}',
  tags: {
    ai: 'AI|artificial intelligence|machine learning|AI/ML',
    analyst: 'analyst|data analyst',
    'community-manager': 'community manager|community management',
    'customer-support': 'customer support|customer success|customer service|help desk',
    'data-science': 'data science|data scientist',
    defi: 'DeFi|decentralized finance|decentralised finance',
    design: 'design|product design|product designer|ui design|ux design|ui ux|ux ui',
    'developer-relations': 'developer relations|developer advocate|dev rel|devrel',
    devops: 'DevOps|dev ops|site reliability|sre',
    'economy-designer': 'economy designer|game economy|token economics',
    evm: 'EVM|ethereum',
    'front-end': 'front-end|front end developer|frontend',
    gaming: 'gaming|games|video games',
    golang: 'golang|go lang|go developer|go engineer',
    'layer-2': 'layer 2|layer two|rollups',
    node: 'Node.js|node js',
    'open-source': 'open source',
    'pay-in-crypto':
      'pay in crypto|pays in crypto|paying in crypto|paid in crypto|crypto pay|payment in crypto|crypto salary',
    'product-manager': 'product manager|product management|product owner',
    'project-manager': 'project manager|project management|program manager|project coordinator',
    react: 'React|react js|react native|next js',
    ruby: 'Ruby|ruby on rails',
    sales: 'sales|business development|biz dev',
    'smart-contract': 'smart contract|smart contracts',
    'web3-py': 'web3.py',
    web3js: 'web3.js|web3 js',
    'zero-knowledge': 'zero knowledge|zk proofs|zk snarks|zk|zero knowledge proofs',
  },
  days: 'days|day',
  weeks: 'weeks|week',
  months: 'months|month',
  periods:
    'year: year|yr|annum|annually|yearly; month: month|mo|monthly; week: week|weekly; day: day|daily; hour: hour|hr|h|hourly',
  numbers: 'one|two|three|four|five|six',
  printed: {
    in: 'in {}',
    posted: 'posted in the last {} days',
    dollars: ['$', ''],
    thousands: ',',
    without: 'without {}',
  },
};
