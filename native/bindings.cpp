// The Python face of the core: types in, types out, one map of errors, the GIL released.
//
// Texts are cut as `averment.text.TextForm` cuts them, so one that may not be in NFC is normalised
// by Python first. What this does not do: directories, manifests, several segments.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "builder.hpp"
#include "merge.hpp"
#include "query.hpp"
#include "unicode.hpp"

namespace nb = nanobind;
using namespace averment;

namespace {

// A Python string as UTF-8 in NFC, for as long as this lives.
class Text {
 public:
  explicit Text(nb::handle string) {
    if (!PyUnicode_Check(string.ptr())) throw nb::type_error("expected a str");
    view(nb::borrow(string));
    const Byte* at = reinterpret_cast<const Byte*>(utf8_.data());
    if (!PyUnicode_IS_ASCII(string.ptr()) && may_need_nfc(at, at + utf8_.size())) {
      view(nb::module_::import_("unicodedata").attr("normalize")("NFC", string));
    }
  }

  std::string_view utf8() const { return utf8_; }

 private:
  void view(nb::object string) {
    Py_ssize_t n = 0;
    if (const char* at = PyUnicode_AsUTF8AndSize(string.ptr(), &n)) {
      utf8_ = {at, static_cast<size_t>(n)};
      owner_ = std::move(string);
      return;
    }
    // A lone surrogate has no UTF-8; it separates words, as in Python.
    PyErr_Clear();
    owner_ = nb::steal(PyUnicode_AsEncodedString(string.ptr(), "utf-8", "surrogatepass"));
    if (!owner_.is_valid()) throw nb::python_error();
    utf8_ = {PyBytes_AS_STRING(owner_.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(owner_.ptr()))};
  }

  nb::object owner_;
  std::string_view utf8_;
};

// The items of a sequence, for as long as this lives.
class Items {
 public:
  explicit Items(nb::handle sequence)
      : fast_(nb::steal(PySequence_Fast(sequence.ptr(), "expected a sequence"))) {
    if (!fast_.is_valid()) throw nb::python_error();
  }
  size_t size() const { return static_cast<size_t>(PySequence_Fast_GET_SIZE(fast_.ptr())); }
  PyObject** begin() const { return PySequence_Fast_ITEMS(fast_.ptr()); }
  PyObject** end() const { return begin() + size(); }

 private:
  nb::object fast_;
};

// The phrases of a call, kept alive while they are looked up.
class PhraseBatch {
 public:
  // The number of a str, or of a set of them.
  uint32_t number(nb::handle phrase) {
    if (PyUnicode_Check(phrase.ptr())) return table_.number(text(phrase));
    if (!PyAnySet_Check(phrase.ptr()) && !nb::isinstance(phrase, set_type())) {
      throw nb::type_error("expected a str or a set of str");
    }
    std::vector<std::string_view> forms;
    for (nb::handle form : phrase) forms.push_back(text(form));
    return table_.number_of_set(std::move(forms));
  }
  const PhraseTable& table() const { return table_; }

 private:
  std::string_view text(nb::handle string) { return texts_.emplace_back(string).utf8(); }
  static nb::object set_type() { return nb::module_::import_("collections.abc").attr("Set"); }

  std::vector<Text> texts_;
  PhraseTable table_;
};

struct PairBatch : PhraseBatch {
  explicit PairBatch(nb::handle pairs_in) {
    const Items items(pairs_in);
    pairs.reserve(items.size());
    for (nb::handle pair : items) {
      const Items both(pair);
      if (both.size() != 2) throw nb::type_error("expected pairs of two phrases");
      const uint32_t a = number(both.begin()[0]), b = number(both.begin()[1]);
      pairs.emplace_back(a, b);
    }
  }
  std::vector<PhrasePair> pairs;
};

// Runs without the GIL.
template <class Ask>
auto released(Ask ask) {
  const nb::gil_scoped_release release;
  return ask();
}

template <class Answer, class ToPython>
nb::list to_list(const std::vector<Answer>& answers, ToPython to_python) {
  nb::list list = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(answers.size())));
  for (size_t i = 0; i < answers.size(); ++i) {
    nb::object one = to_python(answers[i]);
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), one.release().ptr());
  }
  return list;
}

nb::dict facts_of(const Facts& facts) {
  nb::dict found;
  found["n_words"] = facts.n_words;
  found["n_documents"] = facts.n_documents;
  found["n_terms"] = facts.n_terms;
  found["n_pairs"] = facts.n_pairs;
  found["n_pair_occurrences"] = facts.n_pair_occurrences;
  found["n_bitmaps"] = facts.n_bitmaps;
  found["n_frequent_words"] = facts.frequent_words;
  found["fold_accents"] = facts.fold_accents != 0;
  found["unicode_version"] = facts.unicode_version;
  found["format_version"] = kFormatVersion;
  return found;
}

void raise(const char* name, const char* message, const char* hint) {
  const nb::object kind = nb::module_::import_("averment.errors").attr(name);
  PyErr_SetObject(kind.ptr(), kind(message, nb::arg("hint") = hint).ptr());
}

// The only place where an error of the core becomes one of averment.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const FormatError& damage) {
    raise("IndexFormatError", damage.what(),
          "Restore it from a copy, or rebuild it: averment index build PATHS");
  } catch (const PhraseError& wordless) {
    const std::string& phrase = wordless.phrase;
    const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
        phrase.data(), static_cast<Py_ssize_t>(phrase.size()), "surrogatepass"));
    const nb::object message =
        nb::str("The phrase {!r} has no word to count.").attr("format")(text);
    raise("QueryError", nb::cast<std::string>(message).c_str(),
          "Ask for at least one letter or digit.");
  } catch (const QueryError& question) {
    raise("QueryError", question.what(), "");
  } catch (const FileError& file) {
    PyErr_SetObject(PyExc_OSError, nb::make_tuple(file.code, file.what()).ptr());
  }
}

void bind_builder(nb::module_& module) {
  nb::class_<SegmentBuilder>(module, "SegmentBuilder")
      .def(
          "__init__",
          [](SegmentBuilder* self, bool fold_accents, uint32_t frequent_min_count,
             double frequent_min_share, double bitmap_min_share, unsigned n_threads) {
            new (self) SegmentBuilder({fold_accents, frequent_min_count, frequent_min_share,
                                       bitmap_min_share, n_threads});
          },
          nb::kw_only(), nb::arg("fold_accents") = BuildOptions().fold_accents,
          nb::arg("frequent_min_count") = BuildOptions().frequent_min_count,
          nb::arg("frequent_min_share") = BuildOptions().frequent_min_share,
          nb::arg("bitmap_min_share") = BuildOptions().bitmap_min_share,
          nb::arg("n_threads") = BuildOptions().n_threads)
      .def_prop_ro("n_words", &SegmentBuilder::n_words)
      .def_prop_ro("n_documents", &SegmentBuilder::n_documents)
      .def("add",
           [](SegmentBuilder& self, nb::handle text) {
             const Text form(text);
             return released([&] { return self.add(form.utf8()); });
           })
      .def("add_many",
           [](SegmentBuilder& self, nb::handle texts) {
             std::vector<Text> forms;
             for (nb::handle text : nb::borrow<nb::sequence>(texts)) forms.emplace_back(text);
             std::vector<std::string_view> utf8;
             for (const Text& form : forms) utf8.push_back(form.utf8());
             return released([&] { return self.add_many(utf8); });
           })
      .def("finish", [](SegmentBuilder& self, const std::string& path) {
        return facts_of(released([&] { return self.finish(path); }));
      });
}

void bind_merge(nb::module_& module) {
  module.def(
      "merge",
      [](const std::vector<const Segment*>& segments, const std::string& path,
         uint32_t frequent_min_count, double frequent_min_share, double bitmap_min_share,
         unsigned n_threads) {
        std::vector<Segment> sources;
        for (const Segment* segment : segments) sources.push_back(*segment);
        const BuildOptions options{false, frequent_min_count, frequent_min_share, bitmap_min_share,
                                   n_threads};
        return facts_of(released([&] { return merge(sources, path, options); }));
      },
      nb::arg("segments"), nb::arg("path"), nb::kw_only(),
      nb::arg("frequent_min_count") = BuildOptions().frequent_min_count,
      nb::arg("frequent_min_share") = BuildOptions().frequent_min_share,
      nb::arg("bitmap_min_share") = BuildOptions().bitmap_min_share,
      nb::arg("n_threads") = BuildOptions().n_threads);
}

// ask(a, b) for all pairs of a batch.
template <class Answer, class Ask>
std::vector<Answer> ask_pairs(const Segment& segment, const PairBatch& batch, unsigned n_threads,
                              Ask ask) {
  return released([&] {
    std::vector<Answer> answers(batch.pairs.size());
    ask_all(segment, batch.table(), batch.pairs, n_threads,
            [&](size_t i, const Phrase& a, const Phrase& b) { answers[i] = ask(a, b); });
    return answers;
  });
}

nb::object nearest_words(const Cooccurrence& one) {
  return one.nearest == kNever ? nb::none() : nb::object(nb::int_(one.nearest));
}

void bind_segment(nb::module_& module) {
  nb::class_<Segment>(module, "Segment")
      .def(nb::init<const std::string&>())
      .def_prop_ro("n_words", [](const Segment& self) { return self.facts().n_words; })
      .def_prop_ro("n_documents", [](const Segment& self) { return self.facts().n_documents; })
      .def_prop_ro("n_terms", [](const Segment& self) { return self.facts().n_terms; })
      .def_prop_ro("facts", [](const Segment& self) { return facts_of(self.facts()); })
      .def_prop_ro("section_bytes",
                   [](const Segment& self) {
                     nb::dict bytes;
                     for (uint32_t i = 0; i < kNSections; ++i) {
                       bytes[section_names[i]] = self.n_bytes(static_cast<Section>(i));
                     }
                     return bytes;
                   })
      .def("verify", [](const Segment& self) { return released([&] { return self.verify(); }); })
      .def("document_words",
           [](const Segment& self, uint32_t document) {
             if (document >= self.documents().size()) throw nb::index_error("no such document");
             const DocumentSpan span = self.documents()[document];
             return span.end - span.start;
           })
      .def("among",
           [](const Segment& self, nb::bytes members) {
             return self.among({members.c_str(), members.size()});
           })
      .def(
          "count",
          [](const Segment& self, nb::handle phrases, unsigned n_threads) {
            PhraseBatch batch;
            std::vector<uint32_t> numbers;
            for (nb::handle phrase : Items(phrases)) numbers.push_back(batch.number(phrase));
            const auto counts = released([&] { return count_all(self, batch.table(), n_threads); });
            return to_list(numbers, [&](uint32_t number) {
              return nb::make_tuple(counts[number].occurrences, counts[number].documents);
            });
          },
          nb::arg("phrases"), nb::kw_only(), nb::arg("n_threads") = 1)
      .def(
          "exists",
          [](const Segment& self, nb::handle pairs, uint64_t window_words, unsigned n_threads) {
            const auto found = ask_pairs<char>(
                self, PairBatch(pairs), n_threads,
                [&](const Phrase& a, const Phrase& b) { return exists(self, a, b, window_words); });
            return to_list(found, [](char is_there) { return nb::bool_(is_there != 0); });
          },
          nb::arg("pairs"), nb::arg("window_words"), nb::kw_only(), nb::arg("n_threads") = 1)
      .def(
          "documents",
          [](const Segment& self, nb::handle pairs, uint64_t window_words, unsigned n_threads) {
            return ask_pairs<uint64_t>(self, PairBatch(pairs), n_threads,
                                       [&](const Phrase& a, const Phrase& b) {
                                         return count_documents(self, a, b, window_words);
                                       });
          },
          nb::arg("pairs"), nb::arg("window_words"), nb::kw_only(), nb::arg("n_threads") = 1)
      .def(
          "cooccurrence",
          [](const Segment& self, nb::handle pairs, uint64_t window_words, unsigned n_threads) {
            const std::vector<uint64_t> windows_words = {window_words};
            const auto found = ask_pairs<Cooccurrence>(
                self, PairBatch(pairs), n_threads, [&](const Phrase& a, const Phrase& b) {
                  return cooccurrence(self, a, b, windows_words).front();
                });
            return to_list(found, [](const Cooccurrence& one) {
              return nb::make_tuple(one.documents, one.pairs, nearest_words(one));
            });
          },
          nb::arg("pairs"), nb::arg("window_words"), nb::kw_only(), nb::arg("n_threads") = 1)
      .def(
          "cooccurrence_by_window",
          [](const Segment& self, nb::handle pairs, const std::vector<uint64_t>& windows_words,
             unsigned n_threads) {
            if (windows_words.empty()) throw QueryError("there is no window to count within");
            const auto found = ask_pairs<std::vector<Cooccurrence>>(
                self, PairBatch(pairs), n_threads, [&](const Phrase& a, const Phrase& b) {
                  return cooccurrence(self, a, b, windows_words);
                });
            return to_list(found, [](const std::vector<Cooccurrence>& by_window) {
              const nb::list within = to_list(by_window, [](const Cooccurrence& one) {
                return nb::make_tuple(one.documents, one.pairs);
              });
              return nb::make_tuple(nearest_words(by_window.front()), within);
            });
          },
          nb::arg("pairs"), nb::arg("windows_words"), nb::kw_only(), nb::arg("n_threads") = 1)
      .def(
          "occurrences",
          [](const Segment& self, nb::handle phrase, size_t limit) {
            PhraseBatch batch;
            batch.number(phrase);
            const auto found = released(
                [&] { return locate_phrase(self, resolve(self, batch.table()).front(), limit); });
            return to_list(found, [](const Occurrence& one) {
              return nb::make_tuple(one.document, one.word, one.n_words);
            });
          },
          nb::arg("phrase"), nb::arg("limit"))
      .def(
          "nearest_pairs",
          [](const Segment& self, nb::handle a, nb::handle b, uint64_t window_words, size_t limit) {
            PhraseBatch batch;
            const uint32_t number_a = batch.number(a), number_b = batch.number(b);
            const auto found = released([&] {
              const auto phrases = resolve(self, batch.table());
              return locate_pairs(self, phrases[number_a], phrases[number_b], window_words, limit);
            });
            return to_list(found, [](const NearestPair& one) {
              return nb::make_tuple(one.document, one.a_word, one.b_word, one.a_n_words,
                                    one.b_n_words);
            });
          },
          nb::arg("a"), nb::arg("b"), nb::arg("window_words"), nb::arg("limit"));
}

}  // namespace

NB_MODULE(_native, module) {
  nb::register_exception_translator(translate);
  module.attr("unicode_version") = unicode_version;
  module.attr("format_version") = kFormatVersion;
  module.def(
      "words",
      [](nb::handle text, bool fold_accents) {
        const Text form(text);
        Words words;
        tokenize_all(form.utf8(), fold_accents, words);
        nb::list found;
        for (size_t i = 0; i < words.size(); ++i) {
          found.append(nb::str(words[i].data(), words[i].size()));
        }
        return found;
      },
      nb::arg("text"), nb::kw_only(), nb::arg("fold_accents") = false);
  module.def("count_terms", [](const std::vector<const Segment*>& segments) {
    return released([&] { return count_terms(segments); });
  });
  bind_builder(module);
  bind_merge(module);
  bind_segment(module);
}
