// Checking histories from C++17: a handle is a std::unique_ptr whose deleter is the handle's own free function.
#include <tribunal.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

template <auto free>
struct Freed {
    template <typename Handle>
    void operator()(Handle *handle) const { free(handle); }
};
using History = std::unique_ptr<tribunal_history, Freed<tribunal_history_free>>;
using Verdict = std::unique_ptr<tribunal_verdict, Freed<tribunal_verdict_free>>;
using ObjectBuilder = std::unique_ptr<tribunal_object_builder, Freed<tribunal_object_builder_free>>;

void must(tribunal_status status) {
    if (status != TRIBUNAL_STATUS_OK) throw std::runtime_error(tribunal_last_error());
}

History parse(std::string_view text) {
    tribunal_history *history;
    must(tribunal_history_parse(text.data(), text.size(), nullptr, &history));
    return History(history);
}

Verdict check(const History &history, const char *model) {
    tribunal_verdict *verdict;
    tribunal_limits limits = {};
    limits.timeout_ms = 10000;
    must(tribunal_check(history.get(), model, &limits, &verdict));
    return Verdict(verdict);
}

// A queue of which the second element is taken first.
History overtaking() {
    tribunal_object_builder *made;
    must(tribunal_object_builder_new("queue", &made));
    ObjectBuilder builder(made);
    uint32_t producer, consumer, operation;
    must(tribunal_object_builder_process(builder.get(), "producer", &producer));
    must(tribunal_object_builder_process(builder.get(), "consumer", &consumer));
    uint64_t time = 0;
    for (int64_t element : {1, 2}) {
        tribunal_value argument = tribunal_int(element);
        must(tribunal_object_builder_call(builder.get(), producer, "enqueue", &argument, 1, time++, &operation));
        must(tribunal_object_builder_return(builder.get(), operation, tribunal_null(), time++));
    }
    must(tribunal_object_builder_call(builder.get(), consumer, "dequeue", nullptr, 0, time++, &operation));
    must(tribunal_object_builder_return(builder.get(), operation, tribunal_int(2), time++));
    tribunal_history *history;
    must(tribunal_object_builder_build(builder.get(), &history));
    return History(history);
}

}  // namespace

int main() try {
    History store_buffering = parse("T0: W x 1; R y 0\nT1: W y 1; R x 0\n");
    for (const char *model : {"sc", "tso"}) {
        Verdict verdict = check(store_buffering, model);
        std::cout << tribunal_verdict_text(verdict.get());
        if (tribunal_verdict_verify(verdict.get(), nullptr) != TRIBUNAL_VERIFICATION_ACCEPTED)
            throw std::runtime_error("the certificate is not accepted");
    }
    Verdict verdict = check(overtaking(), "linearizable");
    std::cout << tribunal_verdict_text(verdict.get()) << tribunal_verdict_json(verdict.get()) << "\n";
    return tribunal_verdict_word(verdict.get()) == TRIBUNAL_WORD_INCONSISTENT ? 0 : 1;
} catch (const std::exception &error) {
    std::cerr << "verdicts: " << error.what() << "\n";
    return 2;
}
