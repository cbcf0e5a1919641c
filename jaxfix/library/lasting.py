"""Names that every supported release of JAX has, and gives without a warning: measured of 0.4.30, 0.10.2 and 0.12."""

from collections.abc import Iterator
from functools import cache

_NAMES = {
    "jax": """
        Array block_until_ready check_tracer_leaks checking_leaks checkpoint checkpoint_policies clear_caches
        closure_convert custom_gradient custom_jvp custom_vjp debug_infs debug_key_reuse debug_nans default_backend
        default_device default_matmul_precision default_prng_impl Device device_count device_get device_put devices
        disable_jit effects_barrier enable_checks enable_custom_prng ensure_compile_time_eval eval_shape float0 grad
        hessian host_count host_id host_ids jacfwd jacobian jacrev jit jvp legacy_prng_key linear_transpose linearize
        live_arrays local_device_count local_devices log_compiles make_array_from_callback
        make_array_from_process_local_data make_array_from_single_device_arrays make_jaxpr named_call named_scope
        NamedSharding numpy_dtype_promotion numpy_rank_promotion pmap print_environment_info process_count
        process_index pure_callback remat ShapeDtypeStruct Shard softmax_custom_jvp threefry_partitionable
        transfer_guard transfer_guard_device_to_device transfer_guard_device_to_host transfer_guard_host_to_device
        value_and_grad vjp vmap
    """,
    "jax.config": "jax_enable_x64 x64_enabled",
    "jax.numpy": """
        abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis apply_over_axes arange
        arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array
        array_equal array_equiv array_repr array_split array_str asarray asin asinh astype atan atan2 atanh atleast_1d
        atleast_2d atleast_3d average bartlett bfloat16 bincount bitwise_and bitwise_count bitwise_invert
        bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman block bool bool_
        broadcast_arrays broadcast_shapes broadcast_to c_ can_cast cbrt cdouble ceil character choose clip
        column_stack complex128 complex64 complex_ complexfloating ComplexWarning compress concat concatenate conj
        conjugate convolve copy copysign corrcoef correlate cos cosh count_nonzero cov cross csingle cumprod cumsum
        cumulative_sum deg2rad degrees delete diag diag_indices diag_indices_from diagflat diagonal diff digitize
        divide divmod dot double dsplit dstack dtype e ediff1d einsum einsum_path empty empty_like equal euler_gamma
        exp exp2 expand_dims expm1 extract eye fabs fill_diagonal finfo flatnonzero flexible flip fliplr flipud
        float16 float32 float64 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float_
        float_power floating floor floor_divide fmax fmin fmod frexp from_dlpack frombuffer fromfile fromfunction
        fromiter frompyfunc fromstring full full_like gcd generic geomspace get_printoptions gradient greater
        greater_equal hamming hanning heaviside histogram histogram2d histogram_bin_edges histogramdd hsplit hstack
        hypot i0 identity iinfo imag index_exp indices inexact inf inner insert int16 int32 int4 int64 int8 int_
        integer interp intersect1d invert isclose iscomplex iscomplexobj isdtype isfinite isin isinf isnan isneginf
        isposinf isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lcm ldexp left_shift less less_equal
        lexsort linspace load log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
        logspace mask_indices matmul matrix_transpose max maximum mean median meshgrid mgrid min minimum mod modf
        moveaxis multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin
        nanpercentile nanprod nanquantile nanstd nansum nanvar ndarray ndim negative newaxis nextafter nonzero
        not_equal number object_ ogrid ones ones_like outer packbits pad partition percentile permute_dims pi
        piecewise place poly polyadd polyder polydiv polyfit polyint polymul polysub polyval positive pow power
        printoptions prod promote_types ptp put quantile r_ rad2deg radians ravel ravel_multi_index real reciprocal
        remainder repeat reshape resize result_type right_shift rint roll rollaxis roots rot90 round s_ save savez
        searchsorted select set_printoptions setdiff1d setxor1d shape sign signbit signedinteger sin sinc single sinh
        size sort sort_complex split sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh
        tensordot tile trace transpose trapezoid tri tril tril_indices tril_indices_from trim_zeros triu triu_indices
        triu_indices_from true_divide trunc ufunc uint uint16 uint32 uint4 uint64 uint8 union1d unique unique_all
        unique_counts unique_inverse unique_values unpackbits unravel_index unsignedinteger unstack unwrap vander var
        vdot vecdot vectorize vsplit vstack where zeros zeros_like
    """,
    "jax.numpy.linalg": """
        cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power
        matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv
        tensorsolve trace vecdot vector_norm
    """,
    "jax.numpy.fft": """
        fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """,
    "jax.lax": """
        abs abs_p acos acos_p acosh acosh_p add add_p after_all after_all_p all_gather all_gather_p all_to_all
        all_to_all_p and_p approx_max_k approx_min_k approx_top_k_p argmax argmax_p argmin argmin_p asin asin_p asinh
        asinh_p associative_scan atan atan2 atan2_p atan_p atanh atanh_p axis_index axis_index_p batch_matmul
        bessel_i0e bessel_i0e_p bessel_i1e bessel_i1e_p betainc bitcast_convert_type bitcast_convert_type_p
        bitwise_and bitwise_not bitwise_or bitwise_xor broadcast broadcast_in_dim broadcast_in_dim_p broadcast_shapes
        broadcast_to_rank broadcasted_iota cbrt cbrt_p ceil ceil_p clamp clamp_p clz clz_p collapse complex complex_p
        concatenate concatenate_p cond cond_p conj conj_p conv conv_dimension_numbers conv_general_dilated
        conv_general_dilated_local conv_general_dilated_p conv_general_dilated_patches conv_general_permutations
        conv_general_shape_tuple conv_shape_tuple conv_transpose conv_transpose_shape_tuple conv_with_general_padding
        ConvDimensionNumbers convert_element_type convert_element_type_p ConvGeneralDilatedDimensionNumbers copy_p cos
        cos_p cosh cosh_p create_token create_token_p cumlogsumexp cumlogsumexp_p cummax cummax_p cummin cummin_p
        cumprod cumprod_p cumsum cumsum_p custom_linear_solve custom_root device_put_p digamma digamma_p div div_p dot
        dot_general dot_general_p DotDimensionNumbers dtype dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim
        dynamic_slice_p dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim
        dynamic_update_slice_p eq eq_p eq_to_p erf erf_inv erf_inv_p erf_p erfc erfc_p exp exp2 exp2_p exp_p
        expand_dims expm1 expm1_p fft_p floor floor_p fori_loop full full_like gather gather_p GatherDimensionNumbers
        GatherScatterMode ge ge_p gt gt_p igamma igamma_grad_a igamma_grad_a_p igamma_p igammac igammac_p imag imag_p
        index_in_dim index_take integer_pow integer_pow_p iota iota_p is_finite is_finite_p le le_p le_to_p lgamma
        lgamma_p linear_solve_p log log1p log1p_p log_p logistic logistic_p lt lt_p lt_to_p map max max_p min min_p
        mul mul_p ne ne_p neg neg_p nextafter nextafter_p not_p or_p pad pad_p padtype_to_pads pbroadcast
        platform_dependent pmax pmax_p pmean pmin pmin_p polygamma polygamma_p population_count population_count_p pow
        pow_p ppermute ppermute_p Precision PrecisionLike pshuffle psum psum_p psum_scatter pswapaxes ragged_dot
        random_gamma_grad RandomAlgorithm real real_p reciprocal reduce reduce_and_p reduce_max_p reduce_min_p
        reduce_or_p reduce_p reduce_precision reduce_precision_p reduce_prod_p reduce_sum_p reduce_window
        reduce_window_max_p reduce_window_min_p reduce_window_p reduce_window_shape_tuple reduce_window_sum_p
        reduce_xor_p regularized_incomplete_beta_p rem rem_p reshape reshape_p rev rev_p rng_bit_generator
        rng_bit_generator_p rng_uniform rng_uniform_p round round_p RoundingMethod rsqrt rsqrt_p scan scan_p scatter
        scatter_add scatter_add_p scatter_apply scatter_max scatter_max_p scatter_min scatter_min_p scatter_mul
        scatter_mul_p scatter_p ScatterDimensionNumbers select select_and_gather_add_p select_and_scatter_add_p
        select_and_scatter_p select_n select_n_p sharding_constraint_p shift_left shift_left_p shift_right_arithmetic
        shift_right_arithmetic_p shift_right_logical shift_right_logical_p sign sign_p sin sin_p sinh sinh_p slice
        slice_in_dim slice_p sort sort_key_val sort_p sqrt sqrt_p square squeeze squeeze_p stop_gradient
        stop_gradient_p sub sub_p switch tan tan_p tanh tanh_p top_k top_k_p transpose transpose_p while_loop while_p
        with_sharding_constraint xor_p zeta zeta_p
    """,
    "jax.nn": """
        celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu log_sigmoid log_softmax logsumexp
        mish one_hot relu relu6 selu sigmoid silu soft_sign softmax softplus sparse_plus sparse_sigmoid squareplus
        standardize swish tanh
    """,
    "jax.nn.initializers": """
        constant delta_orthogonal glorot_normal glorot_uniform he_normal he_uniform Initializer kaiming_normal
        kaiming_uniform lecun_normal lecun_uniform normal ones orthogonal truncated_normal uniform variance_scaling
        xavier_normal xavier_uniform zeros
    """,
    "jax.random": """
        ball bernoulli beta binomial bits categorical cauchy chisquare choice clone dirichlet double_sided_maxwell
        exponential f fold_in gamma generalized_normal geometric gumbel key key_data key_impl laplace loggamma
        logistic lognormal maxwell multivariate_normal normal orthogonal pareto permutation poisson PRNGKey rademacher
        randint random_gamma_p rayleigh split t triangular truncated_normal uniform wald weibull_min wrap_key_data
    """,
    "jax.tree": """
        all flatten leaves map reduce structure transpose unflatten
    """,
    "jax.tree_util": """
        all_leaves default_registry DictKey FlattenedIndexKey GetAttrKey keystr Partial PyTreeDef register_dataclass
        register_pytree_node register_pytree_node_class register_pytree_with_keys register_pytree_with_keys_class
        register_static SequenceKey tree_all tree_flatten tree_flatten_with_path tree_leaves tree_leaves_with_path
        tree_map tree_map_with_path tree_reduce tree_structure tree_transpose tree_unflatten treedef_children
        treedef_is_leaf treedef_tuple
    """,
    "jax.scipy.special": """
        bernoulli bessel_jn beta betainc betaln digamma entr erf erfc erfinv exp1 expi expit expn factorial gamma
        gammainc gammaincc gammaln gammasgn hyp1f1 i0 i0e i1 i1e kl_div log_ndtr logit logsumexp multigammaln ndtr
        ndtri poch polygamma rel_entr spence xlog1py xlogy zeta
    """,
    "jax.scipy.linalg": """
        block_diag cho_factor cho_solve cholesky det eigh eigh_tridiagonal expm expm_frechet funm hessenberg hilbert
        inv lu lu_factor lu_solve polar qr rsf2csf schur solve solve_triangular sqrtm svd toeplitz
    """,
    "jax.scipy.signal": """
        convolve convolve2d correlate correlate2d csd detrend fftconvolve istft stft welch
    """,
    "jax.scipy.stats": """
        bernoulli beta betabinom binom cauchy chi2 dirichlet expon gamma gaussian_kde gennorm geom laplace logistic
        mode multinomial multivariate_normal nbinom norm pareto poisson rankdata sem t truncnorm uniform vonmises
        wrapcauchy
    """,
    "jax.scipy.stats.norm": """
        cdf isf logcdf logpdf logsf pdf ppf sf
    """,
    "jax.scipy.ndimage": """
        map_coordinates
    """,
    "jax.typing": """
        ArrayLike DTypeLike
    """,
    "jax.sharding": """
        Mesh NamedSharding PartitionSpec Sharding SingleDeviceSharding
    """,
    "jax.debug": """
        breakpoint callback DebugEffect inspect_array_sharding print visualize_array_sharding visualize_sharding
    """,
    "jax.ops": """
        segment_max segment_min segment_prod segment_sum
    """,
    "jax.image": """
        resize ResizeMethod scale_and_translate
    """,
    "numpy": """
        bool_ complex128 complex64 dtype e euler_gamma float16 float32 float64 floating generic inexact inf int16
        int32 int64 int8 integer nan ndarray newaxis number pi signedinteger uint16 uint32 uint64 uint8
        unsignedinteger
    """,
}


def lasts(qualname: str) -> bool:
    """Whether reading or importing the name cannot fail, and warns of nothing, with any supported release."""
    package, _, last = qualname.rpartition(".")
    return qualname in _NAMES or last in _of(package)


def names() -> Iterator[str]:
    """Every such name, of JAX and of NumPy."""
    yield from (f"{package}.{name}" for package in _NAMES for name in sorted(_of(package)))


@cache
def _of(package: str) -> frozenset[str]:
    return frozenset(_NAMES.get(package, "").split())
